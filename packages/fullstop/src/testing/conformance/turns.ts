import type { ConversationPlace } from '../../engines/port/conversation-place.js';
import type { Engine } from '../../engines/port/engine.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeNow, type World } from './world.js';

type Answer = ReturnType<World['define']>;

/** A body that ends openly, so that it could be resumed. */
function answerOf(world: World): Answer {
  return world.define({
    name: 'answer',
    run: async () => terminations.halted({ by: { type: 'hook', name: 'guard' }, reason: 'later' }),
  });
}

function startTurn(engine: Engine, conversation: ConversationPlace, runId?: string): Promise<'started' | 'exists'> {
  const { id, turn } = conversation;
  return engine.start({
    runId: runId ?? `${id}/turn-${turn}`,
    name: 'answer',
    version: '1',
    input: runId ?? '',
    conversation,
  });
}

/** The reason for which a turn is refused. */
async function reasonOf(starting: Promise<unknown>): Promise<unknown> {
  const error = await starting.catch((thrown: unknown) => thrown);
  return FullstopError.is(error) && error.code === 'TURN_REFUSED'
    ? (error.details as { readonly reason?: string }).reason
    : error;
}

async function oneAtATime(world: World): Promise<void> {
  const { engine } = world;
  const answer = answerOf(world);
  const first = { id: 'chat', turn: 1 };
  const second = { id: 'chat', turn: 2, after: { runId: 'chat/turn-1', segment: 1 } };
  checkEqual(await reasonOf(startTurn(engine, second)), 'taken', 'a second turn without a first');
  checkEqual(await startTurn(engine, first), 'started', 'the first turn');
  checkEqual(await startTurn(engine, first), 'exists', 'the same start again');
  checkEqual(await reasonOf(startTurn(engine, second)), 'running', 'a turn while another is under way');
  await executeNow(engine, answer, 'chat/turn-1');
  checkEqual(await reasonOf(startTurn(engine, first, 'another')), 'taken', 'a turn that was started already');
  checkEqual(await engine.summary('chat/turn-2'), undefined, 'what a refused start leaves');
  checkEqual(await startTurn(engine, second), 'started', 'the second turn');
  checkEqual(await startTurn(engine, { id: 'other', turn: 1 }), 'started', 'a turn of another conversation');
  const other = await engine.list({ conversation: 'other' });
  checkEqual(
    other.runs.map(({ runId }) => runId),
    ['other/turn-1'],
    'the turns of the other conversation',
  );
  const { runs } = await engine.list({ conversation: 'chat' });
  const places = runs.map(({ conversation }) => conversation).sort((one, two) => (one?.turn ?? 0) - (two?.turn ?? 0));
  checkEqual(places, [first, second], 'the turns in a list');
  const [entry] = await engine.journal('chat/turn-2');
  checkEqual(entry?.type === 'run_started' && entry.data.conversation, second, 'the turn in the journal');
}

async function oldTurnsStayClosed(world: World): Promise<void> {
  const { engine } = world;
  const answer = answerOf(world);
  const reopen = { because: 'resume' } as const;
  await startTurn(engine, { id: 'chat', turn: 1 });
  await executeNow(engine, answer, 'chat/turn-1');
  checkEqual((await engine.reopen({ ...reopen, runId: 'chat/turn-1', after: 1 })).status, 'opened', 'the latest turn');
  await executeNow(engine, answer, 'chat/turn-1');
  const stale = { id: 'chat', turn: 2, after: { runId: 'chat/turn-1', segment: 1 } };
  checkEqual(await reasonOf(startTurn(engine, stale)), 'changed', 'a turn after messages that have changed');
  await startTurn(engine, { ...stale, after: { runId: 'chat/turn-1', segment: 2 } });
  const receipt = await engine.reopen({ ...reopen, runId: 'chat/turn-1', after: 2 });
  checkEqual(receipt, { status: 'superseded', by: 'chat/turn-2' }, 'a turn after which another was started');
}

async function pausedTurns(world: World): Promise<void> {
  const { engine } = world;
  const asker = world.define({
    name: 'answer',
    run: async (context) => {
      await context.wait({ id: 'go', type: 'approval' });
      return terminations.naturalEnd();
    },
  });
  await startTurn(engine, { id: 'chat', turn: 1 });
  await executeNow(engine, asker, 'chat/turn-1');
  const second = { id: 'chat', turn: 2, after: { runId: 'chat/turn-1', segment: 1 } };
  checkEqual(await reasonOf(startTurn(engine, second)), 'paused', 'a turn while another waits for an answer');
  await engine.answer('chat/turn-1', 'go', { decision: 'approve' });
  await executeNow(engine, asker, 'chat/turn-1');
  checkEqual(
    await startTurn(engine, { ...second, after: { runId: 'chat/turn-1', segment: 2 } }),
    'started',
    'a turn after it',
  );
}

async function importedTurns(world: World): Promise<void> {
  const answer = answerOf(world);
  await startTurn(world.engine, { id: 'chat', turn: 1 });
  await executeNow(world.engine, answer, 'chat/turn-1');
  const elsewhere = await world.harness.openEmpty();
  try {
    await elsewhere.importRun(await world.engine.journal('chat/turn-1'));
    checkEqual((await elsewhere.summary('chat/turn-1'))?.conversation, { id: 'chat', turn: 1 }, 'an imported turn');
    checkEqual(await reasonOf(startTurn(elsewhere, { id: 'chat', turn: 1 }, 'another')), 'taken', 'its place');
  } finally {
    await elsewhere.close();
  }
}

/** Many starters of the same turn, on two instances of the store. */
async function manyStarters(world: World): Promise<void> {
  const other = await world.harness.open();
  try {
    const starters = Array.from({ length: 20 }, (_, index) =>
      startTurn(index % 2 === 0 ? world.engine : other, { id: 'chat', turn: 1 }, `starter-${index}`),
    );
    const settled = await Promise.allSettled(starters);
    checkEqual(settled.filter(({ status }) => status === 'fulfilled').length, 1, 'how many of them win');
    check((await world.engine.list({ conversation: 'chat' })).runs.length === 1, 'there is one turn');
  } finally {
    await other.close();
  }
}

export const turnCases: readonly ConformanceCase[] = [
  conformanceCase('a conversation has one turn at a time, in order', oneAtATime),
  conformanceCase('a turn after which another was started is never opened again', oldTurnsStayClosed),
  conformanceCase('a paused turn keeps its conversation until it is answered', pausedTurns),
  conformanceCase('an imported turn has its place', importedTurns),
  conformanceCase('of many that start the same turn one wins', manyStarters, ['processes']),
];
