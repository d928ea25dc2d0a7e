import type { ReceivedAnswer, RequestAnswer } from '../../engines/port/request.js';
import { end } from '../../run/ending/body-result.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent, checkRefused } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeNow, startOnly, type World } from './world.js';

/** A run that asks one question and returns the answer. */
function question(world: World) {
  return world.define({
    name: 'question',
    run: async (context) => {
      await context.step('before', world.effect('before', 1));
      const answer = await context.wait({ id: 'ok', type: 'approval', tool: 'deploy', input: { to: 'prod' } });
      await context.step('after', world.effect('after', 1));
      return end(terminations.flowCompleted({ last: 'after' }), answerOf(answer));
    },
  });
}

function answerOf({ at: _at, ...rest }: ReceivedAnswer): RequestAnswer & { readonly requestId: string } {
  return rest;
}

const maria: RequestAnswer = { decision: 'approve', value: { size: 2 }, by: 'maria', reason: 'fine' };

async function acrossRestart(world: World): Promise<void> {
  const run = question(world);
  const paused = await run.run(undefined, { engine: world.engine, runId: 'q' });
  const requests = [{ id: 'ok', path: '', type: 'approval', tool: 'deploy', input: { to: 'prod' } }];
  checkEqual(paused.termination, { kind: 'interaction_pending', requests }, 'the pause');
  checkEqual(paused.resumable, { how: 'answer' }, 'how it continues');
  const engine = await world.restart();
  checkEqual(
    (await engine.openRequests('q')).map(({ id }) => id),
    ['ok'],
    'the open requests',
  );
  const receipt = await engine.answer('q', 'ok', maria);
  checkEqual(receipt.status, 'delivered', 'the receipt');
  await world.restart();
  await executeNow(world.engine, run, 'q');
  const ending = checkPresent(await world.engine.ending('q'), 'the ending');
  checkEqual(ending.output, { requestId: 'ok', ...maria }, 'the answer as the body sees it');
  checkEqual(ending.segment, 2, 'the segment');
  checkEqual(await world.engine.openRequests('q'), [], 'the open requests after the answer');
  checkEqual(world.done, ['before', 'after'], 'the effects');
  const opened = (await world.journal('q')).find((entry) => entry.type === 'segment_opened');
  checkEqual(opened?.data, { from: 1, because: 'answer', by: 'maria' }, 'why the segment was opened');
}

async function receipts(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = question(world);
  checkEqual(await engine.answer('nobody', 'ok', maria), { status: 'unknown' }, 'an answer to an unknown run');
  await run.run(undefined, { engine, runId: 'q' });
  checkEqual(await engine.answer('q', 'other', maria), { status: 'unknown' }, 'an answer to what was not asked');
  const at = clock.now();
  checkEqual(await engine.answer('q', 'ok', maria), { status: 'delivered', at }, 'the first answer');
  await clock.advance(10);
  const already = { status: 'already', at, by: 'maria' };
  checkEqual(await engine.answer('q', 'ok', { decision: 'deny', by: 'paul' }), already, 'a conflicting answer');
  checkEqual(await engine.answer('q', 'ok', maria), already, 'a duplicate answer');
  await executeNow(engine, run, 'q');
  checkEqual(await engine.answer('q', 'ok', { decision: 'deny' }), already, 'an answer after the end');
  const ending = checkPresent(await engine.ending('q'), 'the ending');
  checkEqual((ending.output as { by?: string }).by, 'maria', 'whose answer counts');
  checkEqual(await engine.answer('q', 'never', maria), { status: 'ended' }, 'an answer to a closed run');
}

async function refusedResume(world: World): Promise<void> {
  const { engine } = world;
  const run = question(world);
  await run.run(undefined, { engine, runId: 'q' });
  const before = (await world.journal('q')).length;
  const both = { ok: maria, typo: maria };
  const error = await checkRefused(run.resume('q', { engine, answers: both }), 'INVALID_ANSWER');
  check(error.message.includes('typo'), `the request is named: ${error.message}`);
  checkEqual((await world.journal('q')).length, before, 'the entries after a refused resume');
  checkEqual((await engine.openRequests('q')).length, 1, 'the open requests after a refused resume');
  const result = await run.resume('q', { engine, answers: { ok: maria } });
  checkKind(result.termination, 'flow_completed');
}

/** An answer that comes while another branch still works is taken in the same segment. */
async function whileWorking(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = world.define({
    name: 'busy',
    run: async (context) => {
      const answer = context.wait({ id: 'ok', type: 'gate', summary: 'Go on?' });
      await context.step('long', async () => {
        checkEqual(
          (await engine.openRequests('busy')).map(({ id }) => id),
          ['ok'],
          'the request is open at once',
        );
        await clock.sleep(100);
        if (world.times('long') === 0)
          checkEqual((await engine.answer('busy', 'ok', maria)).status, 'delivered', 'the receipt');
        world.done.push('long');
        await clock.sleep(100);
      });
      return end(terminations.naturalEnd(), { by: (await answer).by });
    },
  });
  const result = await run.run(undefined, { engine, runId: 'busy' });
  checkEqual([result.segment, result.output], [1, { by: 'maria' }], 'segment and output');
  checkEqual(world.times('long'), 1, 'how often the step was performed');
}

async function severalRequests(world: World): Promise<void> {
  const { engine } = world;
  const run = world.define<{ readonly mixed: boolean }>({
    name: 'several',
    run: async (context, { mixed }) => {
      const gates = ['a', 'b'].map((id) => context.wait({ id, type: 'gate', summary: `Gate ${id}` }));
      const inputs = mixed ? [context.wait({ id: 'c', type: 'input' })] : [];
      const answers = await Promise.all([...gates, ...inputs]);
      return end(
        terminations.naturalEnd(),
        answers.map(({ requestId, value }) => [requestId, value ?? null]),
      );
    },
  });
  const gates = await run.run({ mixed: false }, { engine, runId: 'gates' });
  checkEqual(
    checkKind(gates.termination, 'gate_pending').gates.map(({ gateId }) => gateId),
    ['a', 'b'],
    'the gates',
  );
  const one = await run.resume('gates', { engine, answers: { b: { decision: 'value', value: 'B' } } });
  checkEqual(
    checkKind(one.termination, 'gate_pending').gates.map(({ gateId }) => gateId),
    ['a'],
    'the gates that are left',
  );
  const all = await run.resume('gates', { engine, answers: { a: { decision: 'value', value: 'A' } } });
  checkEqual(
    all.output,
    [
      ['a', 'A'],
      ['b', 'B'],
    ],
    'the answers',
  );
  const mixed = await run.run({ mixed: true }, { engine, runId: 'mixed' });
  checkEqual(
    checkKind(mixed.termination, 'interaction_pending').requests.map(({ id }) => id),
    ['a', 'b', 'c'],
    'the requests',
  );
}

async function stays(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = question(world);
  const running = run.run(undefined, { engine, runId: 'stay', onPause: 'wait' });
  await clock.advance(60_000);
  checkEqual(await engine.ending('stay'), undefined, 'an ending while it stays');
  checkEqual((await engine.summary('stay'))?.state, 'running', 'the state');
  checkEqual((await engine.answer('stay', 'ok', maria)).status, 'delivered', 'the receipt');
  const result = await running;
  checkEqual([result.segment, result.termination.kind], [1, 'flow_completed'], 'segment and ending');
  checkEqual(result.durationMs, 0, 'the active time, without the wait for a person');
}

async function sameId(world: World): Promise<void> {
  const run = world.define({
    name: 'twice',
    run: async (context) => {
      await Promise.all([context.wait({ id: 'ok', type: 'input' }), context.wait({ id: 'ok', type: 'input' })]);
      return terminations.naturalEnd();
    },
  });
  const result = await run.run(undefined, { engine: world.engine });
  const { error } = checkKind(result.termination, 'failed');
  check(error.message.includes('"ok"'), `the id is named: ${error.message}`);
}

/** A worker continues a run that someone answered, whoever that was. */
async function workerContinues(world: World): Promise<void> {
  const { engine } = world;
  const run = question(world);
  const worker = engine.worker([run]);
  await startOnly(engine, run, 'q');
  const paused = await engine.waitForEnding('q', 1);
  checkKind(paused.termination, 'interaction_pending');
  await engine.answer('q', 'ok', maria);
  const ending = await engine.waitForEnding('q', 2);
  checkKind(ending.termination, 'flow_completed');
  await worker.stop(0);
  checkEqual(world.done, ['before', 'after'], 'the effects');
}

export const waitCases: readonly ConformanceCase[] = [
  conformanceCase('keeps a question over restarts and continues with the answer in a new segment', acrossRestart),
  conformanceCase('returns a receipt to every answerer', receipts),
  conformanceCase('does nothing at all when one answer of a resume is refused', refusedResume),
  conformanceCase('receives an answer while other steps are under way, in the same segment', whileWorking),
  conformanceCase('lists all that is open, and pauses again for what is left', severalRequests),
  conformanceCase('stays and waits when asked to, and does not count that time', stays),
  conformanceCase('refuses two requests of the same id', sameId),
  conformanceCase('lets a worker continue a run that was answered', workerContinues),
];
