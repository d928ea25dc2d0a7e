import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type StallingProxy, stallingProxy } from '../../postgres/stalling-proxy.js';

export interface Mate {
  readonly process: ChildProcess;
  readonly proxy: StallingProxy;
  /** Settles when it has something to lose. */
  readonly atWork: Promise<unknown>;
}

export interface CrewPlan {
  readonly script: string;
  readonly url: string;
  readonly size: number;
  args(url: string): readonly string[];
}

/** Worker processes, each with a way of its own to the server. */
export class ServerCrew {
  readonly #plan: CrewPlan;
  readonly mates: Mate[] = [];
  readonly errors: string[] = [];

  private constructor(plan: CrewPlan) {
    this.#plan = plan;
  }

  static async start(plan: CrewPlan): Promise<ServerCrew> {
    const crew = new ServerCrew(plan);
    for (let index = 0; index < plan.size; index += 1) crew.mates.push(await crew.#hire());
    return crew;
  }

  async #hire(): Promise<Mate> {
    const { script, url, args } = this.#plan;
    const proxy = await stallingProxy(url);
    const child = spawn(process.execPath, [script, ...args(proxy.url)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    child.stderr?.on('data', (text: Buffer) => this.errors.push(String(text)));
    child.on('exit', (code, signal) => {
      if (signal !== 'SIGKILL') this.errors.push(`a worker ended by itself with code ${code ?? signal}`);
    });
    return { process: child, proxy, atWork: once(child, 'message') };
  }

  /** Kills one without a chance to do anything, and starts another in its place. */
  async replace(mate: Mate): Promise<void> {
    await this.#dismiss(mate);
    this.mates.splice(this.mates.indexOf(mate), 1, await this.#hire());
  }

  async #dismiss({ process: child, proxy }: Mate): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await proxy.close();
  }

  async stop(): Promise<void> {
    await Promise.all(this.mates.map((mate) => this.#dismiss(mate)));
  }
}
