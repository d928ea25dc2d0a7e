import type { OnExpiry, RunRequest } from '../../engines/port/request.js';
import { end } from '../../run/ending/body-result.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent, checkRefused } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeNow, startOnly, type World } from './world.js';

const hour = 3_600_000;

/** A run that asks with a deadline one hour after its start. */
function gate(world: World, onExpiry: OnExpiry | undefined, more: Partial<RunRequest> = {}) {
  return world.define<{ readonly deadline: number }>({
    name: 'gate',
    run: async (context, { deadline }) => {
      const expiry = onExpiry === undefined ? {} : { onExpiry };
      const answer = await context.wait({ id: 'go', type: 'gate', summary: 'Go?', deadline, ...expiry, ...more });
      const { decision, expired, reason, by } = answer;
      return end(terminations.naturalEnd(), { decision, expired, reason, by });
    },
  });
}

/** Pauses the run and lets its deadline pass while nobody works; then someone takes it up, much later. */
async function letItPass(world: World, run: ReturnType<typeof gate>, runId: string): Promise<number> {
  const deadline = world.clock.now() + hour;
  const paused = await run.run({ deadline }, { engine: world.engine, runId });
  const { gates } = checkKind(paused.termination, 'gate_pending');
  checkEqual(gates[0]?.deadline, new Date(deadline).toISOString(), 'the deadline in the ending');
  await world.restart();
  await world.clock.advance(24 * hour);
  checkEqual(
    await world.engine.answer(runId, 'go', { decision: 'approve' }),
    { status: 'expired', deadline },
    'a late answer',
  );
  const woken = checkPresent(await world.engine.summary(runId), 'the run');
  checkEqual([woken.state, woken.segment], ['ready', 2], 'the run after a late answer');
  await executeNow(world.engine, run, runId);
  const expired = (await world.journal(runId)).find((entry) => entry.type === 'request_expired');
  checkEqual([expired?.at, expired?.data.deadline], [deadline, deadline], 'the date of the expiry');
  return deadline;
}

async function ends(world: World): Promise<void> {
  for (const onExpiry of [undefined, 'end'] as const) {
    const runId = `end-${onExpiry}`;
    const run = gate(world, onExpiry);
    const deadline = await letItPass(world, run, runId);
    const ending = checkPresent(await world.engine.ending(runId), 'the ending');
    const iso = new Date(deadline).toISOString();
    checkEqual(ending.termination, { kind: 'gate_expired', gateId: 'go', deadline: iso }, 'the ending');
    checkEqual([ending.segment, ending.category, ending.open], [2, 'capacity', true], 'segment, category, open');
    checkEqual(
      await world.engine.answer(runId, 'go', { decision: 'approve' }),
      { status: 'expired', deadline },
      'a later answer',
    );
    checkEqual(await world.engine.openRequests(runId), [], 'the open requests');
  }
}

async function resumesWithNewDeadline(world: World): Promise<void> {
  const run = gate(world, 'end');
  const old = await letItPass(world, run, 'renewed');
  await checkRefused(run.resume('renewed', { engine: world.engine }), 'LIMIT_UNCHANGED');
  await checkRefused(run.resume('renewed', { engine: world.engine, deadlines: { go: old } }), 'LIMIT_UNCHANGED');
  const deadline = world.clock.now() + hour;
  const paused = await run.resume('renewed', { engine: world.engine, deadlines: { go: deadline } });
  checkEqual(
    checkKind(paused.termination, 'gate_pending').gates[0]?.deadline,
    new Date(deadline).toISOString(),
    'the new deadline',
  );
  checkEqual(
    (await world.engine.answer('renewed', 'go', { decision: 'approve', by: 'eve' })).status,
    'delivered',
    'the receipt',
  );
  await executeNow(world.engine, run, 'renewed');
  const ending = checkPresent(await world.engine.ending('renewed'), 'the ending');
  checkEqual(ending.output, { decision: 'approve', by: 'eve' }, 'the output');
}

async function decides(world: World): Promise<void> {
  for (const [onExpiry, decision] of [
    ['approve', 'approve'],
    ['reject', 'deny'],
  ] as const) {
    const run = gate(world, onExpiry);
    const deadline = await letItPass(world, run, onExpiry);
    const ending = checkPresent(await world.engine.ending(onExpiry), 'the ending');
    checkEqual(ending.output, { decision, expired: true, reason: 'nobody answered in time' }, 'the output');
    const answered = (await world.journal(onExpiry)).find((entry) => entry.type === 'request_answered');
    checkEqual([answered?.at, answered?.data.answer.at], [deadline, deadline], 'the date of the answer');
    const { status } = await world.engine.answer(onExpiry, 'go', { decision: 'approve' });
    check(status === 'ended' || status === 'expired', `an answer after the deadline has decided is ${status}`);
  }
}

async function escalates(world: World): Promise<void> {
  const later = world.clock.now() + 48 * hour;
  const run = gate(world, 'escalate', { escalation: { to: 'the boss', deadline: later } });
  await letItPass(world, run, 'escalated');
  const paused = checkPresent(await world.engine.ending('escalated'), 'the ending');
  const [asked] = checkKind(paused.termination, 'gate_pending').gates;
  checkEqual(asked?.deadline, new Date(later).toISOString(), 'the second deadline');
  check(asked?.summary.includes('the boss') === true, `it says who is asked now: ${asked?.summary}`);
  checkEqual(
    (await world.engine.openRequests('escalated')).map(({ deadline }) => deadline),
    [later],
    'the open request',
  );
  await world.restart();
  await world.clock.advance(48 * hour);
  await executeNow(world.engine, run, 'escalated');
  const ending = checkPresent(await world.engine.ending('escalated'), 'the second ending');
  checkEqual(
    ending.termination,
    { kind: 'gate_expired', gateId: 'go', deadline: new Date(later).toISOString() },
    'the second ending',
  );
}

async function escalationAnswered(world: World): Promise<void> {
  const later = world.clock.now() + 48 * hour;
  const run = gate(world, 'escalate', { escalation: { to: 'the boss', deadline: later } });
  await letItPass(world, run, 'asked');
  checkEqual(
    (await world.engine.answer('asked', 'go', { decision: 'approve', by: 'boss' })).status,
    'delivered',
    'the receipt',
  );
  await executeNow(world.engine, run, 'asked');
  checkEqual((await world.engine.ending('asked'))?.output, { decision: 'approve', by: 'boss' }, 'the output');
}

/** Worker, resume and answer apply an expiry alike; nobody has to look at the right moment. */
async function workerApplies(world: World): Promise<void> {
  const run = gate(world, 'reject');
  const worker = world.engine.worker([run]);
  await startOnly(world.engine, run, 'watched', { deadline: world.clock.now() + hour });
  await world.engine.waitForEnding('watched', 1);
  const ending = await world.engine.waitForEnding('watched', 2);
  checkEqual((ending.output as { decision?: string }).decision, 'deny', 'the decision');
  await worker.stop(0);
}

async function expiresInChild(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = world.define({
    name: 'outer',
    run: async (context) => {
      const inner = await context.child('inner', async (unit) => {
        await unit.wait({ id: 'go', type: 'gate', deadline: unit.now() + hour });
        return terminations.naturalEnd();
      });
      await context.wait({ id: 'later', type: 'input' });
      return end(terminations.naturalEnd(), { inner: inner.termination.kind });
    },
  });
  await run.run(undefined, { engine, runId: 'outer' });
  await clock.advance(2 * hour);
  await executeNow(engine, run, 'outer');
  const paused = checkPresent(await engine.ending('outer'), 'the ending');
  checkEqual(
    checkKind(paused.termination, 'interaction_pending').requests.map(({ id }) => id),
    ['later'],
    'what is open',
  );
  await clock.advance(2 * hour);
  checkEqual((await engine.ending('outer'))?.segment, 2, 'a deadline that has passed wakes nobody again');
  const result = await run.resume('outer', { engine, answers: { later: { decision: 'value' } } });
  checkEqual(result.output, { inner: 'gate_expired' }, 'the output');
}

export const deadlineCases: readonly ConformanceCase[] = [
  conformanceCase('ends as gate_expired, dated at the deadline that passed while nobody worked', ends),
  conformanceCase(
    'resumes a gate that expired with a new deadline, and refuses an unchanged one',
    resumesWithNewDeadline,
  ),
  conformanceCase('continues as approved or rejected when the deadline decides', decides),
  conformanceCase('asks the next one when a request escalates, and ends when that deadline passes too', escalates),
  conformanceCase('continues with the answer of the person it escalated to', escalationAnswered),
  conformanceCase('lets a worker apply a deadline when it passes', workerApplies),
  conformanceCase('ends a unit whose gate expired, while its parent continues', expiresInChild),
];
