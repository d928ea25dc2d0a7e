import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Engine } from '../../../packages/fullstop/src/engines/port/engine.js';
import { verifyJournal } from '../../../packages/fullstop/src/run/journal/verify-journal.js';
import { junk, spoiled } from '../../conformance/junk.js';
import type { Attack } from '../attack.js';
import { onEveryEngine } from '../on-every-engine.js';
import { calledMethods, fill, goodCalls, isTyped, job, makeCall } from './good-calls.js';
import { spoilSession } from './junk-session.js';

/** Hands junk to every method of engines and sessions: each answers with a typed error, and the store is unharmed. */
export const junkCalls: Attack = {
  name: 'junk',
  of: 'calls',
  short: 1500,
  long: 10_000,
  perform: onEveryEngine(callWithJunk),
};

const call = fc.constantFrom(...calledMethods).chain((method) => {
  const given = fc.oneof(
    spoiled(goodCalls[method]),
    fc.array(junk, { maxLength: 4 }).map((makes) => () => makes.map((make) => make())),
  );
  return given.map((make) => ({ method, make }));
});

const waits: readonly string[] = ['waitForEnding', 'waitUntilReady'];

/** A wait for a run that there is, if only because an earlier call started it, would be a good one, and have no end. */
async function isEndless(engine: Engine, method: string, [runId]: readonly unknown[]): Promise<boolean> {
  if (!waits.includes(method) || typeof runId !== 'string') return false;
  return (await engine.summary(runId).catch(() => undefined)) !== undefined;
}

/** One call in five is to a session. */
const shareOfSessions = 0.2;

async function callWithJunk(
  open: () => Engine,
  { seed, count }: { readonly seed: number; readonly count: number },
  note: (result: 'accepted' | 'refused') => void,
): Promise<void> {
  const engine = open();
  const toSession = Math.floor(count * shareOfSessions);
  await fill(engine);
  const property = fc.asyncProperty(call, async ({ method, make }) => {
    const values = make();
    if (await isEndless(engine, method, values)) return note('refused');
    try {
      await makeCall(engine, method, values);
      note('accepted');
    } catch (error) {
      if (!isTyped(error)) throw new Error(`${method} failed with ${String(error)}`, { cause: error });
      note('refused');
    }
  });
  await fc.assert(property, { seed, numRuns: count - toSession });
  await checkStore(engine);
  if (toSession > 0) await spoilSession(open(), { seed, count: toSession }, note);
}

/** Everything in the store is whole, and runs can still be started, resumed and ended. */
async function checkStore(engine: Engine): Promise<void> {
  for (const { runId } of (await engine.list({ limit: 1000 })).runs)
    assert.equal((await verifyJournal(await engine.journal(runId))).verdict, 'consistent', runId);
  assert.equal((await engine.ending('run'))?.outcome, 'succeeded');
  assert.equal((await job.run({ n: 0 }, { engine, runId: 'after' })).outcome, 'succeeded');
  const state = (await engine.summary('waiting'))?.state;
  if (state !== 'parked' && state !== 'ended') return;
  const result = await job.resume('waiting', { engine, answers: { ok: { decision: 'approve' } } }).catch(isTyped);
  assert.ok(result === true || typeof result === 'object');
}
