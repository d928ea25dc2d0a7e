import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approve } from '../agent/options/directive.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine } from '../engines/port/engine.js';
import { openEngine, temporaryFile } from '../engines/sqlite/engine.fixture.js';
import type { ModelMessage } from '../models/message.js';
import { type Behaviour, behaviours, obedientAgent, problemOf, rolesOf } from './conversation.fixture.js';
import type { Conversation } from './conversation.js';
import { conversation } from './open-conversation.js';

/** Something that somebody does to a conversation; `at` chooses a turn or an entry. */
interface Deed {
  readonly does: 'send' | 'edit' | 'retry' | 'branch' | 'stream';
  readonly behaviour: Behaviour;
  readonly at: number;
  /** How a turn that paused is settled. */
  readonly settles: 'answer' | 'stop';
  /** True when the process dies in the middle of the turn, after the entry that `at` chooses. */
  readonly dies: boolean;
}

const deed = fc.record<Deed>({
  does: fc.constantFrom('send', 'edit', 'retry', 'branch', 'stream'),
  behaviour: fc.constantFrom(...behaviours),
  at: fc.nat(20),
  settles: fc.constantFrom('answer', 'stop'),
  dies: fc.boolean(),
});

function openOn(engine: Engine): Conversation {
  return conversation('chat', { agent: obedientAgent(engine), engine });
}

/** The expected conversation, told beside it: the messages after each turn, and the roles that each turn adds. */
class Told {
  readonly turns: { readonly before: number; readonly behaviour: Behaviour; readonly settles: Deed['settles'] }[] = [];
  readonly messages: (readonly ModelMessage[])[] = [];
}

async function perform(chat: Conversation, { does, behaviour, at }: Deed, told: Told): Promise<void> {
  const count = told.turns.length;
  const chosen = (at % Math.max(count, 1)) + 1;
  const text = `${behaviour} ${count + 1}`;
  if (count === 0 || does === 'send') await chat.send(text);
  else if (does === 'stream') await (await chat.stream(text)).result;
  else if (does === 'edit') await chat.edit(chosen, text);
  else if (does === 'retry') await chat.retry(chosen);
  else await chat.send(text, { after: chosen });
}

/** Notes what the deed must have added. */
function tell({ does, behaviour, at, settles }: Deed, told: Told): void {
  const count = told.turns.length;
  const chosen = (at % Math.max(count, 1)) + 1;
  const replaced = told.turns[chosen - 1];
  if (count === 0 || does === 'send' || does === 'stream') told.turns.push({ before: count, behaviour, settles });
  else if (does === 'branch') told.turns.push({ before: chosen, behaviour, settles });
  else if (does === 'edit') told.turns.push({ before: replaced?.before ?? 0, behaviour, settles });
  else told.turns.push({ before: replaced?.before ?? 0, behaviour: replaced?.behaviour ?? behaviour, settles });
}

/** The store as another process finds it when the one that executed the latest turn died after one of its entries. */
async function afterDeath(engine: Engine, turns: number, at: number): Promise<Engine> {
  const left = memoryEngine();
  for (let turn = 1; turn <= turns; turn += 1) {
    const entries = await engine.journal(`chat/turn-${turn}`);
    await left.importRun(turn < turns ? entries : entries.slice(0, 1 + (at % entries.length)));
  }
  return left;
}

/** Brings the latest turn to an ending that is no pause. */
async function settle(engine: Engine, { settles }: Deed, turn: number): Promise<void> {
  const chat = openOn(engine);
  const runId = `chat/turn-${turn}`;
  if ((await engine.ending(runId)) === undefined) await chat.resume();
  if ((await engine.summary(runId))?.category !== 'paused') return;
  if (settles === 'stop') {
    await chat.stop();
    return;
  }
  const requests = await engine.openRequests(runId);
  await chat.resume({ answers: Object.fromEntries(requests.map(({ id }) => [id, approve()])) });
}

async function check(chat: Conversation, told: Told): Promise<void> {
  const { before, behaviour, settles } = told.turns.at(-1) as Told['turns'][number];
  const messages = await chat.messages();
  expect(problemOf(messages)).toBeUndefined();
  const past = before === 0 ? [] : (told.messages[before - 1] as readonly ModelMessage[]);
  expect(messages.slice(0, past.length)).toEqual(past);
  const roles = messages.slice(past.length).map(({ role }) => role);
  const expected = rolesOf[behaviour];
  // A call that a person did not allow has a result all the same: that it was interrupted.
  if (expected !== undefined) expect(roles, `${behaviour}, ${settles}`).toEqual(expected);
  told.messages.push(messages);
  for (const [index, known] of told.messages.entries()) expect(await chat.messages(index + 1)).toEqual(known);
  const turns = await chat.turns();
  expect(turns.map(({ conversation: { after } }) => after?.runId)).toEqual(
    told.turns.map((turn) => (turn.before === 0 ? undefined : `chat/turn-${turn.before}`)),
  );
}

describe('the history of a conversation', () => {
  it('is one that models accept, and the fold of its runs, whatever happens to its turns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 6 }), async (deeds) => {
        let engine: Engine = memoryEngine();
        const told = new Told();
        for (const each of deeds) {
          await perform(openOn(engine), each, told);
          tell(each, told);
          if (each.dies) engine = await afterDeath(engine, told.turns.length, each.at);
          await settle(engine, each, told.turns.length);
          await check(openOn(engine), told);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('two programs on one file', () => {
  it('never have two turns at once: of those that send at the same time one wins, however often', async () => {
    const file = temporaryFile();
    const engines = [openEngine(file), openEngine(file)];
    for (let round = 1; round <= 5; round += 1) {
      const sends = engines.flatMap((engine) => [openOn(engine).send('answer'), openOn(engine).send('answer')]);
      const settled = await Promise.allSettled(sends);
      // A sender that is late may find the turn of another over, and be the next.
      const won = settled.filter(({ status }) => status === 'fulfilled').length;
      expect(won).toBeGreaterThan(0);
      const lost = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as { code?: string }] : []));
      expect(lost.every(({ code }) => code === 'TURN_REFUSED')).toBe(true);
      const turns = await openOn(engines[0] as Engine).turns();
      const spans = turns.map(({ startedAt, updatedAt }) => [startedAt, updatedAt] as const);
      expect(spans.every(([start], index) => index === 0 || start >= (spans[index - 1]?.[1] ?? 0))).toBe(true);
      expect(problemOf(await openOn(engines[1] as Engine).messages())).toBeUndefined();
    }
  });

  it('wait for each other by option, and every turn is said once', async () => {
    const file = temporaryFile();
    const engines = [openEngine(file), openEngine(file)];
    const sends = Array.from({ length: 6 }, (_, index) =>
      openOn(engines[index % 2] as Engine).send(`tool ${index}`, { whenBusy: 'wait' }),
    );
    const results = await Promise.all(sends);
    expect(new Set(results.map(({ runId }) => runId)).size).toBe(6);
    const turns = await openOn(engines[0] as Engine).turns();
    expect(turns.every(({ isCurrent, kind }) => isCurrent && kind === 'natural_end')).toBe(true);
    expect((await openOn(engines[1] as Engine).messages()).length).toBe(24);
  });
});
