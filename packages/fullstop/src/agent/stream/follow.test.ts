import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import type { RequestAnswer } from '../../engines/port/request.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import type { Agent } from '../agent.js';
import { defineAgent } from '../define-agent.js';
import { cases, optionsOf } from '../every-ending.fixture.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { approve, deny } from '../options/directive.js';
import { clientTool, toolResult } from '../tools/client-tool.js';
import { requireApproval } from '../tools/tool.js';
import type { UIEnding } from './ui-chunk.js';
import { type ReadMessage, readMessage, shown } from './ui-message.fixture.js';

const look = { execute: (input: object) => input };
const tools = {
  look,
  fails: {
    execute: () => {
      throw new Error('at /srv/app/secret.ts');
    },
  },
  ask: requireApproval(look),
  outside: clientTool({}),
};

/** The engine as another process sees it that reads only so far. */
function upTo(engine: Engine, seq: number): Engine {
  return {
    ...engine,
    journal: async (runId, query) => (await engine.journal(runId, query)).filter((entry) => entry.seq <= seq),
    summary: (runId) => engine.summary(runId),
    ending: (runId) => engine.ending(runId),
  };
}

/** The engine as a reader sees it that comes by after every entry. */
function oneByOne(engine: Engine): Engine {
  return {
    ...engine,
    journal: async (runId, query) =>
      (await engine.journal(runId, query)).slice(0, query?.limit === undefined ? undefined : 1),
    summary: (runId) => engine.summary(runId),
    ending: (runId) => engine.ending(runId),
  };
}

function gate(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

const endingOf = ({ message }: ReadMessage): UIEnding => (message.metadata as { ending: UIEnding }).ending;

/** Answers whatever a run asks, by what was drawn. */
function answersTo(ending: UIEnding, isApproved: boolean): Record<string, RequestAnswer> {
  return Object.fromEntries(
    ending.requests.map(({ id, type }) => {
      if (type === 'client_tool') return [id, toolResult('from outside')];
      return [id, isApproved ? approve() : deny({ reason: 'no' })];
    }),
  );
}

/** The endings after which a page continues the run. */
const resumed: ReadonlySet<string> = new Set(['interaction_pending', 'provider_auth', 'provider_failed']);

/** Runs an agent live to its last ending, as a page does that answers every question. */
async function live(agent: Agent, engine: Engine, isApproved = true): Promise<ReadMessage> {
  let read = await readMessage(agent.stream('go', { engine, runId: 'r' }));
  for (let turn = 0; turn < 5 && resumed.has(endingOf(read).kind); turn += 1) {
    const answers = answersTo(endingOf(read), isApproved);
    read = await readMessage(agent.resumeStream('r', { engine, answers }), { before: read.message });
  }
  return read;
}

describe('a followed run', () => {
  it.each(Object.entries(cases))(
    'has the same message as the live one, whatever its ending: %s',
    async (_kind, each) => {
      const engine = memoryEngine();
      const agent = defineAgent(optionsOf(each)) as Agent;
      const first = await readMessage(agent.stream('go', { engine, runId: 'r' }));
      const followed = await readMessage(agent.follow('r', { engine }));
      expect(shown(followed.message)).toEqual(shown(first.message));
    },
  );

  it('shows a pending approval as one, and continues after its cursor', async () => {
    const engine = memoryEngine();
    const toolCalls = [{ tool: 'ask', input: { a: 1 }, id: 'c1' }];
    const agent = defineAgent({
      model: scriptedModel([{ text: 'may I?', toolCalls }, { text: 'done' }]),
      tools,
    }) as Agent;
    await agent.run('go', { engine, runId: 'r' });
    const first = await readMessage(agent.follow('r', { engine }));
    expect(first.message.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'may I?' },
      { type: 'tool-ask', state: 'approval-requested', input: { a: 1 }, approval: { id: 'c1' } },
      { type: 'data-ending', data: { kind: 'interaction_pending' } },
    ]);
    await agent.resume('r', { engine, answers: { c1: approve() } });
    const after = endingOf(first).cursor;
    const rest = await readMessage(agent.follow('r', { engine, after }), { before: first.message });
    expect(shown(rest.message)).toEqual(shown((await readMessage(agent.follow('r', { engine }))).message));
    expect(rest.chunks.filter(({ type }) => type.startsWith('tool-')).map(({ type }) => type)).toEqual([
      'tool-output-available',
    ]);
    expect(rest.message.parts.filter(({ type }) => type === 'data-ending')).toHaveLength(1);
  });

  it('asks for approval with the entry of the request, not only with the ending', async () => {
    const engine = memoryEngine();
    const toolCalls = [{ tool: 'ask', input: {}, id: 'c1' }];
    const agent = defineAgent({ model: scriptedModel([{ toolCalls }]), tools }) as Agent;
    await agent.run('go', { engine, runId: 'r' });
    const opened = (await engine.journal('r')).find(({ type }) => type === 'request_opened');
    const { message } = await readMessage(agent.follow('r', { engine: oneByOne(upTo(engine, opened?.seq ?? 0)) }));
    expect(message.parts).toMatchObject([{ type: 'step-start' }, { toolCallId: 'c1', state: 'approval-requested' }]);
  });

  it('has deltas where it is live in this process, from the beginning of an answer that is under way', async () => {
    const engine = memoryEngine();
    const release = gate();
    const begun = gate();
    const parts = async function* () {
      yield { type: 'text-start', id: '1' };
      yield { type: 'text-delta', id: '1', delta: 'Hel' };
      begun.resolve();
      await release.promise;
      yield { type: 'text-delta', id: '1', delta: 'lo' };
      yield { type: 'text-end', id: '1' };
      yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} };
    };
    const model: LanguageModel = {
      ...scriptedModel([{ text: 'x' }]),
      doStream: async () => ({ stream: ReadableStream.from(parts()) as never }),
    };
    const agent = defineAgent({ model }) as Agent;
    const first = readMessage(agent.stream('go', { engine, runId: 'r' }));
    await begun.promise;
    const second = agent.follow('r', { engine }).toUIMessageStream<ReadableStream<{ type: string; delta?: string }>>();
    const heard: (string | undefined)[] = [];
    for await (const { type, delta } of second) {
      if (type !== 'text-delta') continue;
      heard.push(delta);
      release.resolve();
    }
    expect(heard).toEqual(['Hel', 'lo']);
    expect((await first).message.parts).toContainEqual({ type: 'text', text: 'Hello', state: 'done' });
  });

  it('is executed by a worker, and followed to its result', async () => {
    const engine = memoryEngine();
    const answers = [{ toolCalls: [{ tool: 'look', input: {}, id: 'c1' }] }, { text: 'done' }];
    const agent = defineAgent({ name: 'a', model: scriptedModel(answers), tools }) as Agent;
    await engine.start({ runId: 'r', name: 'a', version: '1', input: 'go' });
    const stream = agent.follow('r', { engine });
    const read = readMessage(stream);
    const entries = collect(stream.events());
    const worker = engine.worker([agent]);
    expect((await stream.result).text).toBe('done');
    expect((await read).message.parts).toMatchObject([
      { type: 'step-start' },
      { toolCallId: 'c1', state: 'output-available' },
      { type: 'step-start' },
      { text: 'done' },
      { type: 'data-ending' },
    ]);
    expect((await entries).at(-1)?.type).toBe('segment_ended');
    await worker.stop();
  });

  it('that nobody knows is refused before anything is streamed', async () => {
    const stream = (defineAgent({ model: scriptedModel([{ text: 'x' }]) }) as Agent).follow('none', {
      engine: memoryEngine(),
    });
    await expect(stream.ready).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(stream.result).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  it('is left when its signal is aborted, and runs on', async () => {
    const engine = memoryEngine();
    const agent = defineAgent({ name: 'a', model: scriptedModel([{ text: 'x' }]) }) as Agent;
    await engine.start({ runId: 'r', name: 'a', version: '1', input: 'go' });
    const leaving = new AbortController();
    const read = readMessage(agent.follow('r', { engine, signal: leaving.signal }));
    leaving.abort();
    expect((await read).chunks).toEqual([{ type: 'start' }]);
    expect((await agent.run('go', { engine, runId: 'r' })).text).toBe('x');
  });
});

const anyCall = fc.record({
  tool: fc.constantFrom('look', 'fails', 'ask', 'outside', 'nobody'),
  input: fc.constant({ q: 1 }),
});

const anyAnswer: fc.Arbitrary<ScriptAnswer> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({ text: fc.constantFrom('', 'let me see'), calls: fc.array(anyCall, { minLength: 1, maxLength: 3 }) })
      .map(({ text, calls }) => ({ ...(text !== '' && { text }), toolCalls: calls })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<ScriptAnswer>({ text: 'the answer' }, { reasoning: 'hmm', text: 'the thought' }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<ScriptAnswer>(
      { text: 'a long one that is', error: 'stream_cut' },
      { error: { status: 429 } },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<ScriptAnswer>(
      { text: 'and', error: 'length' },
      { text: 'no', error: 'filter' },
      { error: 'auth' },
      { finish: 'other' },
    ),
  },
);

interface Play {
  readonly answers: readonly ScriptAnswer[];
  readonly isApproved: boolean;
  readonly cut: number;
}

/** Calls get ids of their own, or the same one in every answer: providers do both. */
function withIds(answers: readonly ScriptAnswer[]): readonly ScriptAnswer[] {
  return answers.map((answer, index) =>
    'toolCalls' in answer && answer.toolCalls !== undefined
      ? { ...answer, toolCalls: answer.toolCalls.map((call, at) => ({ ...call, id: `c${index % 2}.${at}` })) }
      : answer,
  );
}

const play: fc.Arbitrary<Play> = fc.record({
  answers: fc.array(anyAnswer, { minLength: 1, maxLength: 5 }).map(withIds),
  isApproved: fc.boolean(),
  cut: fc.nat(),
});

function optionsFor({ answers }: Play): AnyAgentOptions {
  return {
    model: scriptedModel([...answers, { text: 'done' }]),
    tools,
    retry: { initialDelayMs: 1, attempts: 2 },
    stopWhen: [maxIterations(6)],
  };
}

describe('whatever an agent does', () => {
  it('its message is the same live, followed afterwards, and continued after any point of the journal', async () => {
    await fc.assert(
      fc.asyncProperty(play, async (each) => {
        const engine = memoryEngine();
        const agent = defineAgent(optionsFor(each)) as Agent;
        const whole = await live(agent, engine, each.isApproved);
        const followed = await readMessage(agent.follow('r', { engine }));
        expect(shown(followed.message)).toEqual(shown(whole.message));
        const slowly = await readMessage(agent.follow('r', { engine: oneByOne(engine) }));
        expect(shown(slowly.message)).toEqual(shown(whole.message));

        const cut = each.cut % (endingOf(whole).cursor + 1);
        // Where the journal breaks off there is no ending, so this stream is broken off there: a reload.
        const half = await readMessage(agent.follow('r', { engine: upTo(engine, cut) }));
        const rest = await readMessage(agent.follow('r', { engine, after: cut }), { before: half.message });
        expect(shown(rest.message)).toEqual(shown(followed.message));
      }),
      { numRuns: 60 },
    );
  });

  it('a second tab that joins while it runs has the same message', async () => {
    await fc.assert(
      fc.asyncProperty(play, async (each) => {
        const engine = memoryEngine();
        const options = optionsFor(each);
        const inner = options.model as LanguageModel;
        const tabs: Promise<ReadMessage>[] = [];
        const model: LanguageModel = {
          ...inner,
          doStream: (request) => {
            if (tabs.length < 3) tabs.push(readMessage(agent.follow('r', { engine })));
            return inner.doStream(request);
          },
        };
        const agent = defineAgent({ ...options, model }) as Agent;
        const first = await readMessage(agent.stream('go', { engine, runId: 'r' }));
        for (const tab of await Promise.all(tabs)) expect(shown(tab.message)).toEqual(shown(first.message));
      }),
      { numRuns: 30 },
    );
  });
});
