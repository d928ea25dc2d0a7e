import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import type { CompactionStrategy } from '../agent/options/compaction.js';
import { approve } from '../agent/options/directive.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { delegateEngine } from '../engines/port/delegate-engine.js';
import type { Engine, RunPage } from '../engines/port/engine.js';
import type { ModelMessage } from '../models/message.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { verifyJournal } from '../run/journal/verify-journal.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { obedientAgent, problemOf, textOf } from './conversation.fixture.js';
import type { Conversation } from './conversation.js';
import { conversation } from './open-conversation.js';
import { unanswered } from './settle-messages.js';

function open(engine: Engine = memoryEngine()): Conversation & { readonly engine: Engine } {
  return Object.assign(conversation('chat', { agent: obedientAgent(engine), engine }), { engine });
}

async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.catch((thrown: unknown) => thrown);
  return FullstopError.is(error) && error.code === 'TURN_REFUSED'
    ? (error.details as { readonly reason?: string }).reason
    : error;
}

function words(messages: readonly ModelMessage[]): readonly string[] {
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
}

describe('a conversation', () => {
  it('continues each turn with everything that was said before', async () => {
    const chat = open();
    const first = await chat.send('answer one');
    const second = await chat.send('answer two');
    expect([first.runId, second.runId]).toEqual(['chat/turn-1', 'chat/turn-2']);
    expect([first.termination.kind, second.termination.kind]).toEqual(['natural_end', 'natural_end']);
    expect(words(second.messages)).toEqual([
      'system: Obey.',
      'user: answer one',
      'assistant: did answer one',
      'user: answer two',
      'assistant: did answer two',
    ]);
    expect(words(await chat.messages())).toEqual(words(second.messages.slice(1)));
    expect(words(await chat.messages(1))).toEqual(words(first.messages.slice(1)));
  });

  it('reads as empty before its first turn, and cannot retry or resume nothing', async () => {
    const chat = open();
    expect([await chat.messages(), await chat.turns(), await chat.stop()]).toEqual([[], [], undefined]);
    await expect(chat.retry()).rejects.toThrow('has no turn yet');
    await expect(chat.resume()).rejects.toThrow('has no turn yet');
    await expect(chat.messages(3)).rejects.toThrow('has no turn 3');
  });

  it('is there in another program that opens the same engine', async () => {
    const chat = open();
    await chat.send('answer one');
    const again = open(chat.engine);
    await again.send('tool two');
    expect(await chat.messages()).toEqual(await again.messages());
    expect((await chat.messages()).length).toBe(6);
  });

  it('keeps an edited turn as a branch', async () => {
    const chat = open();
    await chat.send('answer one');
    await chat.send('answer two');
    await chat.edit(1, 'answer other');
    expect(words(await chat.messages())).toEqual(['user: answer other', 'assistant: did answer other']);
    const turns = await chat.turns();
    expect(turns.map(({ conversation: { turn, after }, isCurrent }) => [turn, after?.runId, isCurrent])).toEqual([
      [1, undefined, false],
      [2, 'chat/turn-1', false],
      [3, undefined, true],
    ]);
    expect(turns.map(({ said }) => words(said))).toEqual([
      ['user: answer one'],
      ['user: answer two'],
      ['user: answer other'],
    ]);
    await chat.send('answer three', { after: 2 });
    expect(words(await chat.messages()).filter((line) => line.startsWith('user'))).toEqual([
      'user: answer one',
      'user: answer two',
      'user: answer three',
    ]);
  });

  it('retries a turn from the same place', async () => {
    const chat = open();
    await chat.send('answer one');
    const failed = await chat.send('fail two');
    const again = await chat.retry();
    expect([failed.runId, again.runId]).toEqual(['chat/turn-2', 'chat/turn-3']);
    const [, second, third] = await chat.turns();
    expect(third?.conversation.after).toEqual(second?.conversation.after);
    expect([second?.isCurrent, third?.isCurrent, third?.said]).toEqual([false, true, second?.said]);
  });

  it('puts a word in the place of an answer that never came', async () => {
    const chat = open();
    expect((await chat.send('fail one')).termination.kind).toBe('provider_auth');
    expect(words(await chat.messages())).toEqual(['user: fail one', `assistant: ${unanswered}`]);
    expect((await chat.send('answer two')).termination.kind).toBe('natural_end');
  });

  it('resumes a paused turn with answers, as the same turn', async () => {
    const chat = open();
    const paused = await chat.send('pause one');
    expect(paused.category).toBe('paused');
    expect((await chat.messages()).at(-1)?.role).toBe('assistant');
    expect(await refusalOf(chat.send('answer two'))).toBe('paused');
    const [request] = await chat.engine.openRequests('chat/turn-1');
    const resumed = await chat.resume({ answers: { [request?.id ?? '']: approve() } });
    expect([resumed.runId, resumed.termination.kind]).toEqual(['chat/turn-1', 'natural_end']);
    expect(problemOf(await chat.messages())).toBeUndefined();
    expect((await chat.send('answer two')).runId).toBe('chat/turn-2');
  });

  it('stops a paused turn, and tells the model that its call was interrupted', async () => {
    const chat = open();
    await chat.send('pause one');
    const stopped = await chat.stop('enough');
    expect(stopped?.termination).toMatchObject({ kind: 'cancelled', reason: 'enough' });
    const messages = await chat.messages();
    expect(problemOf(messages)).toBeUndefined();
    expect(JSON.stringify(messages)).toContain('interrupted');
    expect((await chat.send('answer two')).termination.kind).toBe('natural_end');
  });

  it('keeps the results of a turn that was stopped in the middle of its calls', async () => {
    const chat = open();
    const stopped = await chat.send('cancel one');
    expect(stopped.termination.kind).toBe('cancelled');
    const messages = await chat.messages();
    expect(problemOf(messages)).toBeUndefined();
    expect(JSON.stringify(messages)).toContain('echoed');
    expect((await chat.send('tool two')).termination.kind).toBe('natural_end');
  });

  it('resumes the latest turn after a limit, and no earlier one', async () => {
    const chat = open();
    const limited = await chat.send('limit one');
    expect(limited.termination.kind).toBe('max_iterations');
    const more = await chat.resume({ stopWhen: [maxIterations(3)] });
    expect([more.runId, more.termination]).toMatchObject(['chat/turn-1', { kind: 'max_iterations', used: 3 }]);
    await chat.send('answer two');
    expect(await refusalOf(limited.resume({ stopWhen: [maxIterations(9)] }))).toBe('superseded');
  });

  it('carries the history that a turn has compacted into the next', async () => {
    const engine = memoryEngine();
    const shorten: CompactionStrategy = {
      name: 'shorten',
      compact: async (messages) => [...messages.filter(({ role }) => role === 'system'), ...messages.slice(-1)],
    };
    // Its window is four messages: the second turn with its instructions fits, the third does not.
    const agent = obedientAgent(engine, { compaction: { strategies: [shorten] } }, 4);
    const chat = conversation('chat', { agent, engine });
    await chat.send('answer one');
    await chat.send('answer two');
    expect((await chat.messages()).length).toBe(4);
    const third = await chat.send('answer three');
    expect(third.termination.kind).toBe('natural_end');
    expect(words(await chat.messages())).toEqual(['user: answer three', 'assistant: did answer three']);
    await chat.send('answer four');
    expect(words(await chat.messages())).toEqual([
      'user: answer three',
      'assistant: did answer three',
      'user: answer four',
      'assistant: did answer four',
    ]);
    expect((await chat.messages(2)).length).toBe(4);
  });
});

describe('a long history', () => {
  it('is compacted before the first call of the next turn, by the size that the turn before was told', async () => {
    const engine = memoryEngine();
    const compacted: number[] = [];
    const shorten: CompactionStrategy = {
      name: 'shorten',
      compact: async (messages) => {
        compacted.push(messages.length);
        return messages.slice(-1);
      },
    };
    const sizes: number[] = [];
    const model = scriptedModel(({ options: { prompt } }) => {
      sizes.push(prompt.length);
      return { text: 'said', usage: { inputTokens: prompt.length * 100, outputTokens: 100 } };
    });
    const compaction = { contextWindow: 1000, at: 0.6, strategies: [shorten] };
    const chat = conversation('chat', { agent: defineAgent({ name: 'a', model, compaction }), engine });
    for (const words of ['one', 'two', 'three', 'four', 'five']) await chat.send(words);
    // The third turn ended with 600 tokens: the fourth is compacted before anything is asked.
    expect(sizes).toEqual([1, 3, 5, 1, 3]);
    expect(compacted).toEqual([7]);
    const turn = await engine.journal('chat/turn-4');
    expect(turn.flatMap(({ key }) => (key?.startsWith('compact:') || key?.startsWith('model:') ? [key] : []))).toEqual([
      'compact:1',
      'model:1',
    ]);
    expect(await verifyJournal(turn)).toMatchObject({ verdict: 'consistent' });
  });
});

describe('one turn at a time', () => {
  it('refuses a second turn, and nothing of it is stored', async () => {
    const chat = open();
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => chat.send('answer one')));
    expect(settled.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    expect((await chat.turns()).length).toBe(1);
  });

  it('lets others wait by option, and each hears the one before', async () => {
    const chat = open();
    const all = Array.from({ length: 5 }, (_, index) => chat.send(`tool ${index}`, { whenBusy: 'wait' }));
    const results = await Promise.all(all);
    expect(results.map(({ termination }) => termination.kind)).toEqual(Array(5).fill('natural_end'));
    expect((await chat.turns()).map(({ conversation: { turn } }) => turn)).toEqual([1, 2, 3, 4, 5]);
    expect((await chat.messages()).length).toBe(20);
  });

  it('waits for a paused turn to be answered', async () => {
    const chat = open();
    await chat.send('pause one');
    const waiting = chat.send('answer two', { whenBusy: 'wait' });
    await chat.stop();
    expect((await waiting).runId).toBe('chat/turn-2');
  });

  it('continues a turn whose process died, when it is resumed or waited for', async () => {
    for (const next of ['resume', 'wait'] as const) {
      const { engine, send } = await leftBehind();
      const chat = open(engine);
      expect(await refusalOf(chat.send('answer two'))).toBe('running');
      if (next === 'resume') expect((await chat.resume()).termination.kind).toBe('natural_end');
      expect((await send('answer two')).runId).toBe('chat/turn-2');
      expect((await chat.messages()).length).toBe(6);
    }
  });

  it('refuses a turn that saw another under way, although that one has ended since', async () => {
    const engine = memoryEngine();
    let seen: RunPage = { runs: [] };
    const look = {
      inputSchema: { type: 'object' },
      execute: async () => {
        seen = await engine.list({ conversation: 'chat' });
        return 'looked';
      },
    };
    await conversation('chat', { agent: obedientAgent(engine, { tools: { echo: look } }), engine }).send('tool one');
    expect(seen.runs.map(({ state }) => state)).toEqual(['running']);
    const late: Engine = { ...delegateEngine(engine), list: async () => seen, ending: async () => undefined };
    expect(await refusalOf(open(late).send('answer two'))).toBe('running');
    expect((await open(engine).turns()).length).toBe(1);
  });

  it('streams a turn, and refuses one before anything is streamed', async () => {
    const chat = open();
    const stream = await chat.stream('tool one');
    const chunks: unknown[] = [];
    for await (const chunk of stream.toUIMessageStream<AsyncIterable<{ type: string; delta?: string }>>())
      chunks.push(chunk.delta);
    expect((await stream.result).runId).toBe('chat/turn-1');
    expect(chunks.filter((delta) => delta !== undefined).join('')).toContain('did tool one');
    await chat.send('pause two');
    expect(await refusalOf(chat.stream('answer three'))).toBe('paused');
  });
});

/** A conversation whose first turn was cut off after its first entries. */
async function leftBehind(): Promise<{ engine: Engine; send: (text: string) => ReturnType<Conversation['send']> }> {
  const source = open();
  await source.send('tool one');
  const engine = memoryEngine();
  await engine.importRun((await source.engine.journal('chat/turn-1')).slice(0, 3));
  const chat = open(engine);
  return { engine, send: (text) => chat.send(text, { whenBusy: 'wait' }) };
}

describe('what cannot be meant', () => {
  it.each([
    [{ after: 1, replaces: 1 }, 'after'],
    [{ after: 0 }, 'after'],
    [{ whenBusy: 'now' }, 'whenBusy'],
    [{ runId: 'mine' }, 'runId'],
    [{ engine: memoryEngine() }, 'engine'],
    [{ signals: 1 }, 'signals'],
  ])('is refused before anything is stored: %j', async (options, name) => {
    const chat = open();
    await expect(chat.send('answer', options as never)).rejects.toThrow(name);
    expect(await chat.turns()).toEqual([]);
  });

  it('refuses input that is none', async () => {
    const chat = open();
    await expect(chat.send([])).rejects.toThrow('at least one message');
    await expect(chat.send(7 as never)).rejects.toThrow('is asked');
    expect(() => conversation('', { agent: obedientAgent(chat.engine), engine: chat.engine })).toThrow('id');
    expect(() => conversation('x', { engine: chat.engine } as never)).toThrow('agent');
    expect(() => conversation('x', { agent: obedientAgent(chat.engine) } as never)).toThrow('engine');
  });
});
