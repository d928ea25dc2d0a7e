import { type ChildProcess, spawn } from 'node:child_process';

export interface WorkerPlan {
  readonly script: string;
  /** Drawn anew for every process. */
  args(): readonly string[];
  /** How long the next process may live after it said that it is at work; undefined lets it live. */
  lifetime(): number | undefined;
  onKilled(): void;
}

/** Said once by a process that has something to lose. On a busy machine nothing would ever get done if lives were counted from the start. */
export function sayAtWork(): void {
  process.send?.('at work');
}

/** Keeps a number of processes alive by starting a new one for each that was killed. */
export class Workers {
  readonly #plan: WorkerPlan;
  readonly #alive = new Set<ChildProcess>();
  readonly errors: string[] = [];
  #stopped = false;

  constructor(plan: WorkerPlan, count: number) {
    this.#plan = plan;
    for (let index = 0; index < count; index += 1) this.#start();
  }

  #start(): void {
    const { script, args, lifetime, onKilled } = this.#plan;
    const worker = spawn(process.execPath, [script, ...args()], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#alive.add(worker);
    worker.stderr?.on('data', (text: Buffer) => this.errors.push(String(text)));
    const milliseconds = lifetime();
    let timer: NodeJS.Timeout | undefined;
    worker.once('message', () => {
      if (milliseconds !== undefined) timer = setTimeout(() => worker.kill('SIGKILL'), milliseconds);
    });
    worker.on('exit', (code, signal) => {
      clearTimeout(timer);
      this.#alive.delete(worker);
      if (this.#stopped) return;
      if (signal === 'SIGKILL') onKilled();
      else this.errors.push(`a worker ended by itself with code ${code}`);
      this.#start();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const exits = [...this.#alive].map((worker) => new Promise((resolve) => worker.on('exit', resolve)));
    for (const worker of this.#alive) worker.kill('SIGKILL');
    await Promise.all(exits);
  }
}
