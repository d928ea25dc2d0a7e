import { readUIMessageStream, tool, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { consecutiveMistakes } from '../../stop/conditions/consecutive-mistakes.js';
import { loopDetection } from '../../stop/conditions/loop-detection.js';
import { noProgress } from '../../stop/conditions/no-progress.js';
import type { Ending } from '../../termination/ending.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineAgent } from '../define-agent.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { approve, block, deny, transform } from '../options/directive.js';
import { goal } from '../options/goal.js';
import type { AgentStream } from '../stream/agent-stream.js';
import type { UIMessageChunk } from '../stream/ui-chunk.js';
import { agentAsTool } from './agent-as-tool.js';
import { clientTool, toolError, toolResult } from './client-tool.js';
import type { ClientTerms, ToolLike } from './tool.js';
import { requireApproval } from './tool.js';

const place = {
  description: 'Where the user is',
  inputSchema: z.object({ exact: z.boolean() }),
  outputSchema: z.object({ city: z.string().min(2) }),
};
const ask = { toolCalls: [{ tool: 'place', input: { exact: true }, id: 'c1' }] };

function locator(over: Partial<AnyAgentOptions> = {}, script: readonly ScriptAnswer[] = [ask, { text: 'done' }]) {
  return defineAgent({ name: 'locator', model: scriptedModel(script), tools: { place }, ...over });
}

/** A definition as another process has it: its script continues after the answers that were used. */
function elsewhere(over: Partial<AnyAgentOptions> = {}) {
  return locator(over, [{ text: 'done' }]);
}

function outputs({
  toolCalls,
}: {
  readonly toolCalls: readonly { readonly tool: string; readonly output: unknown }[];
}) {
  return toolCalls.map((call) => [call.tool, call.output]);
}

describe('a tool without execute', () => {
  it('pauses the run, and continues with its result in another process', async () => {
    const engine = memoryEngine();
    const paused = await locator().run('where?', { engine, runId: 'r' });
    expect(paused.termination).toMatchObject({
      kind: 'interaction_pending',
      requests: [{ id: 'c1', path: '', type: 'client_tool', tool: 'place', input: { exact: true } }],
    });
    const [request] = await engine.openRequests('r');
    expect(request?.schema).toMatchObject({ type: 'object', required: ['city'] });
    const answers = { c1: toolResult({ city: 'Oslo' }, { by: 'browser' }) };
    const ended = await elsewhere().resume('r', { engine, answers });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(outputs(ended)).toEqual([['place', { type: 'json', value: { city: 'Oslo' } }]]);
    expect(ended.messages.at(-2)).toEqual({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'place', output: { type: 'json', value: { city: 'Oslo' } } },
      ],
    });
    const given = (await engine.journal('r')).filter(({ type }) => type === 'request_answered');
    expect(given).toMatchObject([{ data: { answer: { value: { city: 'Oslo' }, by: 'browser' } } }]);
    expect(await engine.answer('r', 'c1', toolResult({ city: 'Rome' }))).toMatchObject({ status: 'already' });
  });

  it('is the same when everything is replayed after every step, with hooks and without', async () => {
    for (const hooks of [undefined, { afterTool: () => transform({ city: 'changed' }) }]) {
      const engine = memoryEngine();
      const over = hooks === undefined ? {} : { hooks };
      await locator(over).run('where?', { engine, runId: 'r', alwaysReplay: true });
      const answers = { c1: toolResult({ city: 'Oslo' }) };
      const ended = await elsewhere(over).resume('r', { engine, answers, alwaysReplay: true });
      const city = hooks === undefined ? 'Oslo' : 'changed';
      expect(outputs(ended)).toEqual([['place', { type: 'json', value: { city } }]]);
      expect((await elsewhere(over).result('r', { engine }))?.messages).toEqual(ended.messages);
    }
  });

  it('keeps a mixed batch in the order of the model, and runs what may run meanwhile', async () => {
    const made: string[] = [];
    const look = { execute: () => void made.push('look') };
    const script = [
      { toolCalls: [...ask.toolCalls, { tool: 'look' }, { tool: 'place', input: { exact: false }, id: 'c2' }] },
      { text: 'done' },
    ];
    const agent = locator({ tools: { place, look } }, script);
    const engine = memoryEngine();
    const paused = await agent.run('where?', { engine, runId: 'r' });
    expect(made).toEqual(['look']);
    expect(outputs(paused)).toEqual([['look', { type: 'json', value: null }]]);
    const half = await agent.resume('r', { engine, answers: { c2: toolResult({ city: 'Rome' }) } });
    expect(half.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'c1' }] });
    const ended = await agent.resume('r', { engine, answers: { c1: toolResult({ city: 'Oslo' }) } });
    expect(ended.termination.kind).toBe('natural_end');
    expect(made).toEqual(['look']);
    expect(outputs(ended).map(([, output]) => output)).toEqual([
      { type: 'json', value: { city: 'Oslo' } },
      { type: 'json', value: null },
      { type: 'json', value: { city: 'Rome' } },
    ]);
  });

  it('takes a text for a text, and nothing for null, where no schema says otherwise', async () => {
    const bare = { ...place, outputSchema: undefined };
    for (const [value, output] of [
      ['Oslo', { type: 'text', value: 'Oslo' }],
      [null, { type: 'json', value: null }],
    ] as const) {
      const engine = memoryEngine();
      const agent = locator({ tools: { place: bare } });
      await agent.run('where?', { engine, runId: 'r' });
      const ended = await agent.resume('r', { engine, answers: { c1: toolResult(value) } });
      expect(outputs(ended)).toEqual([['place', output]]);
    }
  });

  it('works with tools of the AI SDK as they are, and shows what toModelOutput says', async () => {
    const sdk = tool({
      inputSchema: z.object({ exact: z.boolean() }),
      outputSchema: z.object({ city: z.string() }),
      toModelOutput: ({ output }) => ({ type: 'text', value: `The user is in ${output.city}.` }),
    });
    const engine = memoryEngine();
    const agent = locator({ tools: { place: sdk as ToolLike } });
    expect((await agent.run('where?', { engine, runId: 'r' })).termination.kind).toBe('interaction_pending');
    const ended = await agent.resume('r', { engine, answers: { c1: toolResult({ city: 'Oslo' }) } });
    expect(outputs(ended)).toEqual([['place', { type: 'text', value: 'The user is in Oslo.' }]]);
  });

  it('is not asked for when its arguments do not fit, or a hook denies the call', async () => {
    const bad = locator({}, [{ toolCalls: [{ tool: 'place', input: { exact: 'yes' } }] }, { text: 'done' }]);
    const { termination, toolCalls } = await bad.run('where?');
    expect(termination.kind).toBe('natural_end');
    expect(toolCalls[0]?.error?.code).toBe('BAD_ARGUMENTS');
    const guarded = await locator({ hooks: { beforeTool: () => block('private', 'not today') } }).run('where?');
    expect(guarded.toolCalls[0]?.error).toMatchObject({ code: 'private', message: 'not today' });
  });
});

describe('the result of a tool without execute', () => {
  async function paused(over: Partial<AnyAgentOptions> = {}): Promise<Engine> {
    const engine = memoryEngine();
    await locator(over).run('where?', { engine, runId: 'r' });
    return engine;
  }

  it.each([
    ['a yes', approve(), 'it approves, but has no result'],
    ['a result without what the schema requires', toolResult({}), 'its value.city is missing'],
    ['a result of another type', toolResult({ city: 5 }), 'its value.city is 5, not of type string'],
  ])('is never %s: that is refused before anything is consumed', async (_name, answer, problem) => {
    const engine = await paused();
    const refused = elsewhere().resume('r', { engine, answers: { c1: answer } });
    await expect(refused).rejects.toThrow(problem);
    await expect(engine.answer('r', 'c1', answer)).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    const ended = await elsewhere().resume('r', { engine, answers: { c1: toolResult({ city: 'Oslo' }) } });
    expect(ended.termination.kind).toBe('natural_end');
  });

  it('that only the schema itself can refuse is reported to the model as the error of the tool', async () => {
    const engine = await paused();
    const ended = await elsewhere().resume('r', { engine, answers: { c1: toolResult({ city: 'O' }) } });
    expect(ended.termination.kind).toBe('natural_end');
    expect(ended.toolCalls[0]).toMatchObject({
      error: { code: 'TOOL_ERROR' },
      output: { type: 'error-text', value: expect.stringContaining('The result does not fit: city') as unknown },
    });
  });

  it('is measured by a schema that no JSON Schema can say, too', async () => {
    const dated = { ...place, outputSchema: z.object({ at: z.coerce.date() }) };
    const over = { tools: { place: dated } };
    for (const [at, ok] of [
      ['2026-01-01', true],
      ['someday', false],
    ] as const) {
      const engine = await paused(over);
      expect((await engine.openRequests('r'))[0]).not.toHaveProperty('schema');
      const ended = await elsewhere(over).resume('r', { engine, answers: { c1: toolResult({ at }) } });
      expect(ended.termination.kind).toBe('natural_end');
      expect(ended.toolCalls[0]?.error === undefined).toBe(ok);
      if (ok) expect(outputs(ended)).toEqual([['place', { type: 'json', value: { at } }]]);
    }
  });

  it('may be an error, which counts as a mistake', async () => {
    const over = { stopWhen: [consecutiveMistakes(1)] };
    const engine = await paused(over);
    const ended = await elsewhere(over).resume('r', { engine, answers: { c1: toolError('no signal') } });
    expect(ended.toolCalls[0]).toMatchObject({
      output: { type: 'error-text', value: 'no signal' },
      error: { message: 'no signal', code: 'TOOL_ERROR' },
    });
    expect(ended.termination).toMatchObject({
      kind: 'consecutive_mistakes',
      lastMistake: { tool: 'place', problem: 'tool_error', message: 'no signal' },
    });
  });

  it('is seen by the hook after it, and by the goal', async () => {
    const seen: unknown[] = [];
    const over = {
      hooks: { afterTool: (view: object) => void seen.push(view) },
      goal: goal(({ messages }) => JSON.stringify(messages).includes('Oslo'), { check: 'tool_call' }),
    };
    const engine = await paused(over);
    const ended = await elsewhere(over).resume('r', { engine, answers: { c1: toolResult({ city: 'Oslo' }) } });
    expect(seen).toMatchObject([{ toolCallId: 'c1', tool: 'place', result: { city: 'Oslo' }, failed: false }]);
    expect(ended.termination).toEqual({ kind: 'completed', check: 'tool_call' });
  });

  it.each([
    ['loop_detected', loopDetection({ repeats: 2 })],
    ['no_progress', noProgress(1)],
  ])('is what detectors see: the same one twice is %s, another one is not', async (kind, condition) => {
    for (const [city, expected] of [
      ['Oslo', kind],
      ['Rome', 'natural_end'],
    ] as const) {
      const again = { toolCalls: [{ tool: 'place', input: { exact: true }, id: 'c2' }] };
      const agent = locator({ stopWhen: [condition] }, [ask, again, { text: 'done' }]);
      const engine = memoryEngine();
      await agent.run('where?', { engine, runId: 'r' });
      await agent.resume('r', { engine, answers: { c1: toolResult({ city: 'Oslo' }) } });
      const ended = await agent.resume('r', { engine, answers: { c2: toolResult({ city }) } });
      expect(ended.termination.kind).toBe(expected);
    }
  });
});

describe('a tool without execute that needs approval', () => {
  const asking = { place: requireApproval(place) };

  it('asks first, then for the result under the id of the call', async () => {
    const engine = memoryEngine();
    const agent = locator({ tools: asking });
    const first = await agent.run('where?', { engine, runId: 'r' });
    expect(first.termination).toMatchObject({ requests: [{ id: 'approval:c1', type: 'approval', tool: 'place' }] });
    const second = await agent.resume('r', { engine, answers: { 'approval:c1': approve({ by: 'maria' }) } });
    expect(second.termination).toMatchObject({ requests: [{ id: 'c1', type: 'client_tool', input: { exact: true } }] });
    const ended = await agent.resume('r', { engine, answers: { c1: toolResult({ city: 'Oslo' }) } });
    expect(outputs(ended)).toEqual([['place', { type: 'json', value: { city: 'Oslo' } }]]);
  });

  it('goes out with the arguments that were approved, if they fit, and not at all when it is denied', async () => {
    const engine = memoryEngine();
    for (const [runId, answer] of [
      ['fits', approve({ input: { exact: false } })],
      ['misfit', approve({ input: { exact: 'no' } })],
      ['denied', deny({ reason: 'private' })],
    ] as const) {
      const agent = locator({ tools: asking });
      await agent.run('where?', { engine, runId });
      const next = await agent.resume(runId, { engine, answers: { 'approval:c1': answer } });
      if (runId === 'fits')
        expect(next.termination).toMatchObject({
          requests: [{ id: 'c1', type: 'client_tool', input: { exact: false } }],
        });
      else expect(next.termination.kind).toBe('natural_end');
      if (runId === 'misfit') expect(next.toolCalls[0]?.error?.code).toBe('BAD_ARGUMENTS');
      if (runId === 'denied')
        expect(next.toolCalls[0]?.output).toEqual({ type: 'execution-denied', reason: 'private' });
    }
  });
});

describe('a result with a deadline', () => {
  const limited = (terms: ClientTerms) => ({ tools: { place: clientTool(place, terms) } });

  it('ends the run when it does not come, and can be waited for longer', async () => {
    const clock = simulatedClock();
    const engine = memoryEngine({ clock });
    const agent = locator(limited({ deadline: '1h' }));
    const expired = await agent.run('where?', { engine, runId: 'r', onPause: 'wait' });
    expect(expired.termination).toMatchObject({ kind: 'gate_expired', gateId: 'c1' });
    await agent.resume('r', { engine, deadlines: { c1: clock.now() + 60_000 } });
    const ended = await agent.resume('r', { engine, answers: { c1: toolResult({ city: 'Oslo' }) } });
    expect(ended.termination.kind).toBe('natural_end');
  });

  it('is reported to the model as an error, or asked of someone else, where that is wanted', async () => {
    const engine = memoryEngine({ clock: simulatedClock() });
    const told = await locator(limited({ deadline: '1h', onExpiry: 'reject' })).run('?', { engine, onPause: 'wait' });
    expect(told.termination.kind).toBe('natural_end');
    expect(outputs(told)).toEqual([['place', { type: 'error-text', value: 'nobody answered in time' }]]);
    const terms: ClientTerms = { deadline: '1h', onExpiry: 'escalate', escalation: { to: 'maria', deadline: '2h' } };
    const escalated = await locator(limited(terms)).run('?', { engine, onPause: 'wait' });
    expect(escalated.termination).toMatchObject({ kind: 'gate_expired', deadline: '2026-01-01T04:00:00.000Z' });
  });

  it('refuses what could not hold, before the start', () => {
    const refused = (given: ToolLike) => () => locator({ tools: { place: given } });
    expect(refused({ ...place, client: { deadline: '1h', onExpiry: 'approve' as never } })).toThrow('nobody returned');
    expect(refused({ ...place, timeout: '1s' })).toThrow('clientTool(tool, { deadline })');
    expect(refused({ ...place, client: { deadline: '1h' }, execute: () => 1 })).toThrow('the run performs it');
    expect(() => clientTool({ ...place, execute: () => 1 } as never, {})).toThrow('has an execute function');
  });
});

describe('a tool without execute of a sub-agent', () => {
  it('is asked for by the run around it, under its path', async () => {
    const engine = memoryEngine();
    const outer = defineAgent({
      model: scriptedModel([{ toolCalls: [{ tool: 'helper', input: { prompt: 'x' }, id: 'h' }] }, { text: 'done' }]),
      tools: { helper: requireApproval(agentAsTool(locator())) },
    });
    const first = await outer.run('go', { engine, runId: 'r' });
    expect(first.termination).toMatchObject({ requests: [{ id: 'h', type: 'approval', tool: 'helper' }] });
    const second = await outer.resume('r', { engine, answers: { h: approve() } });
    expect(second.termination).toMatchObject({
      requests: [{ id: 'helper:h/c1', path: 'helper:h', type: 'client_tool', tool: 'place' }],
    });
    const answers = { 'helper:h/c1': toolResult({ city: 'Oslo' }) };
    const ended = await outer.resume('r', { engine, answers });
    expect(ended.children).toMatchObject([{ name: 'helper', termination: { kind: 'natural_end' }, text: 'done' }]);
  });
});

describe('the UI message stream of a tool without execute', () => {
  it('leaves the call open for the client, and continues with its result', async () => {
    const engine = memoryEngine();
    const agent = locator();
    const read = async (stream: AgentStream<Ending>, before?: UIMessage): Promise<UIMessage> => {
      let message = before;
      const source = stream.toUIMessageStream<ReadableStream<UIMessageChunk>>();
      const options = before === undefined ? { stream: source } : { stream: source, message: before };
      for await (const next of readUIMessageStream(options)) message = next;
      return message as UIMessage;
    };
    const first = await read(agent.stream('go', { engine, runId: 'r' }));
    const open = { type: 'tool-place', toolCallId: 'c1', input: { exact: true } };
    expect(first.parts).toContainEqual(expect.objectContaining({ ...open, state: 'input-available' }));
    expect(first.metadata).toMatchObject({
      ending: { requests: [{ type: 'client_tool', id: 'c1' }] },
    });
    const answers = { c1: toolResult({ city: 'Oslo' }) };
    const message = await read(agent.resumeStream('r', { engine, answers }), first);
    expect(message.parts).toContainEqual(
      expect.objectContaining({ ...open, state: 'output-available', output: { city: 'Oslo' } }),
    );
    expect(message.metadata).toMatchObject({ ending: { kind: 'natural_end' } });
  });
});
