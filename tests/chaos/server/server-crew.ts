import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type StallingProxy, stallingProxy } from '../../postgres/stalling-proxy.js';

export interface Mate {
  readonly process: ChildProcess;
  /** The version of the definitions that it has. */
  readonly version: string;
  readonly proxy: StallingProxy;
  /** Settles when it has something to lose. */
  readonly atWork: Promise<unknown>;
}

export interface CrewPlan {
  readonly script: string;
  readonly url: string;
  readonly size: number;
  args(url: string, version: string): readonly string[];
}

/** Worker processes, each with a way of its own to the server. */
export class ServerCrew {
  readonly #plan: CrewPlan;
  readonly mates: Mate[] = [];
  readonly errors: string[] = [];
  /** Those who were asked to leave. */
  readonly #leaving = new Set<ChildProcess>();

  private constructor(plan: CrewPlan) {
    this.#plan = plan;
  }

  static async start(plan: CrewPlan): Promise<ServerCrew> {
    const crew = new ServerCrew(plan);
    for (let index = 0; index < plan.size; index += 1) await crew.hire('1');
    return crew;
  }

  async hire(version: string): Promise<Mate> {
    const mate = await this.#start(version);
    this.mates.push(mate);
    return mate;
  }

  async #start(version: string): Promise<Mate> {
    const { script, url, args } = this.#plan;
    const proxy = await stallingProxy(url);
    const child = spawn(process.execPath, [script, ...args(proxy.url, version)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.stderr?.on('data', (text: Buffer) => this.errors.push(String(text)));
    child.on('exit', (code, signal) => {
      if (signal !== 'SIGKILL' && !(code === 0 && this.#leaving.has(child)))
        this.errors.push(`a worker ended by itself with code ${code ?? signal}`);
    });
    return { process: child, version, proxy, atWork: once(child, 'message') };
  }

  /** Kills one without a chance to do anything, and starts another in its place. */
  async replace(mate: Mate): Promise<void> {
    await this.#dismiss(mate);
    this.mates.splice(this.mates.indexOf(mate), 1, await this.#start(mate.version));
  }

  /** Asks one to finish what it has and to leave, as a deploy does; after that many milliseconds it is killed, if they are given. */
  async drain(mate: Mate, killAfterMs?: number): Promise<void> {
    const { process: child, proxy } = mate;
    this.mates.splice(this.mates.indexOf(mate), 1);
    this.#leaving.add(child);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    await ended;
    clearTimeout(timer);
    await proxy.close();
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
