import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Engine, RunSession } from '../../../packages/fullstop/src/engines/port/engine.js';
import { verifyJournal } from '../../../packages/fullstop/src/run/journal/verify-journal.js';
import { spoiled } from '../../conformance/junk.js';
import { isTyped, job, type MethodName } from './good-calls.js';

const draft = { type: 'step_ended', scope: '', ordinal: 0, key: 'k', at: 1, data: { ok: true, value: 1, attempts: 1 } };
const notice = { id: 'n', runId: 'held', segment: 1, target: 't', payload: '{}', attempts: 0, dueAt: 1 };

/** Calls that are no good as they are, so that a session which accepted one would have done harm. */
const sessionCalls: Readonly<Partial<Record<MethodName<RunSession>, readonly unknown[]>>> = {
  conclude: [{ ...draft, type: 'segment_ended', data: { envelope: {} } }, [notice]],
  listen: [],
  onFenced: [],
  expire: [true],
  append: [{ ...draft, key: '\u0000' }],
};

const sessionCall = fc
  .constantFrom(...(Object.keys(sessionCalls) as (keyof typeof sessionCalls)[]))
  .chain((method) => spoiled(sessionCalls[method] ?? []).map((make) => ({ method, make })));

/** Hands junk to the methods of a session; its run can still end. */
export async function spoilSession(
  engine: Engine,
  { seed, count }: { readonly seed: number; readonly count: number },
  note: (result: 'accepted' | 'refused') => void,
): Promise<void> {
  await engine.start({ runId: 'held', name: 'job', version: '1', input: { n: 0 } });
  const session = (await engine.claim('held', 'w')) as RunSession;
  const property = fc.asyncProperty(sessionCall, async ({ method, make }) => {
    const values = make();
    try {
      await (session[method] as ((...given: readonly unknown[]) => unknown) | undefined)?.call(session, ...values);
      note('accepted');
    } catch (error) {
      if (!isTyped(error)) throw new Error(`${method} failed with ${String(error)}`, { cause: error });
      note('refused');
    }
  });
  await fc.assert(property, { seed, numRuns: count });
  await session.flush();
  await job.execute(session, engine);
  assert.equal((await engine.ending('held'))?.outcome, 'succeeded');
  assert.equal((await verifyJournal(await engine.journal('held'))).verdict, 'consistent');
}
