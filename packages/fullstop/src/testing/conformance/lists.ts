import type { RunFilter, RunState } from '../../engines/port/engine.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkPresent } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeNow, startOnly, type World } from './world.js';

/** Three runs that ended differently, one of which spawned a fourth. */
async function fourRuns(world: World): Promise<void> {
  const { engine } = world;
  const helper = world.define({ name: 'helper', run: async () => terminations.naturalEnd() });
  const parent = world.define({
    name: 'parent',
    run: async (context) => {
      await (await context.spawn(helper, undefined, { runId: 'spawned' })).ending();
      return terminations.flowCompleted({ last: 'Helper' });
    },
  });
  const broken = world.define({
    name: 'broken',
    run: async (context) => {
      await context.step('pay', ({ charge }) => charge({ inputTokens: 70, outputTokens: 7, costUsd: 0.5 }));
      return terminations.halted({ by: { type: 'hook', name: 'guard' }, reason: 'No Budget' });
    },
  });
  const left = world.define({ name: 'left', run: async () => terminations.skipped({ reason: 'nothing to do' }) });
  await parent.run(undefined, { engine, runId: 'a-parent' });
  await broken.run(undefined, { engine, runId: 'b-broken' });
  await left.run(undefined, { engine, runId: 'b-left' });
}

async function filters(world: World): Promise<void> {
  await fourRuns(world);
  const ids = async (filter: RunFilter): Promise<readonly string[]> =>
    (await world.engine.list(filter)).runs.map(({ runId }) => runId).sort();
  checkEqual(await ids({}), ['a-parent', 'b-broken', 'b-left', 'spawned'], 'all runs');
  checkEqual(await ids({ outcome: 'succeeded' }), ['a-parent', 'spawned'], 'the runs that succeeded');
  checkEqual(await ids({ outcome: 'skipped' }), ['b-left'], 'the runs that were skipped');
  checkEqual(await ids({ idPrefix: 'b-' }), ['b-broken', 'b-left'], 'the runs whose id begins so');
  checkEqual(await ids({ idPrefix: '%' }), [], 'the runs whose id begins with a wildcard');
  checkEqual(await ids({ roots: true }), ['a-parent', 'b-broken', 'b-left'], 'the runs that nobody spawned');
  checkEqual(await ids({ parentRunId: 'a-parent' }), ['spawned'], 'the runs that one spawned');
  checkEqual(await ids({ text: 'BROK' }), ['b-broken'], 'the runs with a text in their id');
  checkEqual(await ids({ text: 'halted' }), ['b-broken'], 'the runs with a text in their kind');
  checkEqual(await ids({ text: 'no_such' }), [], 'the runs with a text that none has');
  checkEqual(await ids({ text: 'b-', outcome: 'failed' }), ['b-broken'], 'the runs that pass both filters');
}

async function usedUp(world: World): Promise<void> {
  await fourRuns(world);
  const [run] = (await world.engine.list({ idPrefix: 'b-broken' })).runs;
  const ending = await world.engine.ending('b-broken');
  checkEqual(run?.usage, { inputTokens: 70, outputTokens: 7, totalTokens: 77 }, 'the tokens in a list');
  checkEqual(run?.costUsd, 0.5, 'the cost in a list');
  checkEqual(run?.durationMs, ending?.durationMs, 'the duration in a list');
}

/** Whoever reads sees the same, whether or not anyone has woken the run. */
async function dueRuns(world: World): Promise<void> {
  const hour = 3_600_000;
  const { engine, clock } = world;
  const sleeper = world.define({ name: 'sleeper', run: async () => terminations.naturalEnd() });
  const asker = world.define({
    name: 'asker',
    run: async (context) => {
      await context.wait({ id: 'go', type: 'gate', deadline: context.now() + hour });
      return terminations.naturalEnd();
    },
  });
  await startOnly(engine, sleeper, 'sleeper');
  const session = checkPresent(await engine.claim('sleeper', 'conformance'), 'a claim');
  await session.park(clock.now() + hour);
  await asker.run(undefined, { engine, runId: 'asker' });
  const byState = async (state: RunState): Promise<readonly string[]> =>
    (await engine.list({ state })).runs.map(({ runId }) => runId).sort();
  checkEqual(await byState('parked'), ['asker', 'sleeper'], 'the runs that are parked before their time');
  await clock.advance(hour - 1000);
  checkEqual([await byState('ready'), (await engine.summary('sleeper'))?.state], [[], 'parked'], 'a second before it');
  await clock.advance(1000);
  checkEqual(await byState('ready'), ['sleeper'], 'the runs that are ready from their time on');
  // A pause is shown until its expiry is applied: its ending says what is waited for.
  checkEqual(await byState('parked'), ['asker'], 'the runs that are parked after their time');
  checkEqual((await engine.summary('sleeper'))?.state, 'ready', 'the state of the run that slept');
  await executeNow(engine, sleeper, 'sleeper');
  checkEqual((await engine.ending('sleeper'))?.termination.kind, 'natural_end', 'how it ended');
}

async function foreignCursors(world: World): Promise<void> {
  await fourRuns(world);
  for (const cursor of ['', 'b-left', ':b-left', '17x:b-left']) {
    const refused = await world.engine.list({ cursor }).catch((error: unknown) => error);
    check(FullstopError.is(refused) && refused.code === 'INVALID_OPTION', `the cursor "${cursor}" is refused`);
  }
}

export const listCases: readonly ConformanceCase[] = [
  conformanceCase('a list is narrowed by outcome, text, beginning of the id and parent', filters),
  conformanceCase('a parked run is ready for every reader from its time on', dueRuns),
  conformanceCase('a list refuses a cursor that no page has given', foreignCursors),
  conformanceCase('a list shows what each run has used', usedUp),
];
