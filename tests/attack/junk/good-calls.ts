import type { Engine } from '../../../packages/fullstop/src/engines/port/engine.js';
import { defineRun } from '../../../packages/fullstop/src/run/define-run.js';
import { end } from '../../../packages/fullstop/src/run/ending/body-result.js';
import { FullstopError } from '../../../packages/fullstop/src/termination/errors/fullstop-error.js';
import { terminations } from '../../../packages/fullstop/src/termination/terminations.js';

export const job = defineRun({
  name: 'job',
  onEnding: ['ops'],
  run: async (context, { n }: { readonly n: number }) => {
    const value = await context.step('add', () => n + 1);
    if (n > 0) await context.wait({ id: 'ok', type: 'approval' });
    return end(terminations.naturalEnd(), { value });
  },
});

/** A store with a run that has ended and one that waits for an answer. */
export async function fill(engine: Engine): Promise<readonly string[]> {
  await job.run({ n: 0 }, { engine, runId: 'run' });
  await job.run({ n: 1 }, { engine, runId: 'waiting' });
  return [JSON.stringify(await engine.journal('run')), JSON.stringify(await engine.journal('waiting'))];
}

export type MethodName<T> = {
  [P in keyof T]-?: NonNullable<T[P]> extends (...given: never[]) => unknown ? P : never;
}[keyof T];

const definition = { name: 'nobody', version: '1', execute: async () => undefined };
const first = { runId: 'x', segment: 1, seq: 1, scope: '', ordinal: -1, at: 1, type: 'run_started' } as const;

/** A good call of every method that concerns no run that there is: a method that is missing does not compile. */
export const goodCalls: Readonly<Record<MethodName<Engine>, readonly unknown[]>> = {
  start: [
    { runId: 'started', name: 'nobody', version: '1', input: { a: 1 }, options: {}, parent: { runId: 'p', scope: '' } },
  ],
  reopen: [
    { runId: 'unknown', after: 1, because: 'resume', by: 'x', options: {}, answers: { ok: { decision: 'approve' } } },
  ],
  claim: ['unknown', 'worker'],
  answer: ['unknown', 'ok', { decision: 'approve', value: 1, by: 'x' }],
  cancel: ['unknown', { by: 'operator', reason: 'x', hard: true }],
  openRequests: ['unknown'],
  ending: ['unknown'],
  waitForEnding: ['unknown', 1],
  waitUntilReady: ['unknown'],
  summary: ['run'],
  list: [{ name: 'job', state: 'ended', text: 'x', idPrefix: 'r', roots: true, startedAfter: 1, limit: 3 }],
  journal: ['run', { after: 1, limit: 2, types: ['step_ended'], newest: 1 }],
  dueNotices: [10],
  leaseNotices: [{ until: 1, slots: { nobody: 3 } }],
  settleNotice: ['unknown', 5, 6],
  importRun: [[{ ...first, data: { name: 'nobody', version: '1' } }]],
  worker: [[definition], { workerId: 'w', concurrency: 1 }],
  close: [],
};

/** Every method that can be called again and again. */
export const calledMethods: readonly MethodName<Engine>[] = (Object.keys(goodCalls) as MethodName<Engine>[]).filter(
  (name) => name !== 'close',
);

/** True for errors that callers can tell apart. */
export function isTyped(error: unknown): boolean {
  return (
    FullstopError.is(error) || (error as Error).name === 'RunIdConflict' || (error as Error).name === 'FencedError'
  );
}

/** Makes a call, and ends what it began. */
export async function makeCall(
  engine: Engine,
  method: MethodName<Engine>,
  values: readonly unknown[],
): Promise<unknown> {
  const result = await (engine[method] as (...given: readonly unknown[]) => unknown)(...values);
  if (method === 'worker') await (result as { stop(graceMs: number): Promise<void> }).stop(0);
  return result;
}
