import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Memory in bytes. */
export interface FinishedRuns {
  /** The memory that collections of young objects alone leave of runs whose results nobody has. */
  readonly left: number;
  /** The same where somebody has all results. */
  readonly kept: number;
}

/** Executes a program that measures runs, in a process of its own: whatever else happens in one is in its heap. */
export async function finishedRunsOf(program: string): Promise<Readonly<Record<string, FinishedRuns>>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--import', 'tsx', program]);
  return JSON.parse(stdout) as Readonly<Record<string, FinishedRuns>>;
}

/** Measures a hundred runs; needs --expose-gc. */
export async function measureFinishedRuns(run: () => Promise<object>): Promise<FinishedRuns> {
  const results: object[] = [];
  const ignore = (): void => undefined;
  // Maps that belong to nobody are old and large enough then.
  await memoryAfterRuns(run, ignore);
  const left = await memoryAfterRuns(run, ignore);
  const kept = await memoryAfterRuns(run, (result) => results.push(result));
  if (results.length !== 100) throw new Error(`${results.length} results`);
  return { left, kept };
}

async function memoryAfterRuns(run: () => Promise<object>, keep: (result: object) => void): Promise<number> {
  const collect = (globalThis as unknown as { gc(options?: { readonly type: 'minor' }): void }).gc;
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 100; count += 1) keep(await run());
  await new Promise((resolve) => setImmediate(resolve));
  // Objects that survive two of them are old.
  for (let round = 0; round < 2; round += 1) collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}
