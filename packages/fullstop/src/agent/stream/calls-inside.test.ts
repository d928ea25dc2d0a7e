import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import type { Agent } from '../agent.js';
import { defineAgent } from '../define-agent.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { agentAsTool } from '../tools/agent-as-tool.js';
import { clientTool } from '../tools/client-tool.js';
import { handOff } from '../tools/hand-off.js';
import { requireApproval, type ToolSet } from '../tools/tool.js';
import { uiAnswers } from './ui-answers.js';
import { readMessage, shown } from './ui-message.fixture.js';

const call = (tool: string, id: string, input: object = {}) => ({ tool, input: input as never, id });

interface Given {
  readonly helper?: readonly ScriptAnswer[];
  readonly tools?: ToolSet;
  readonly outer?: readonly ScriptAnswer[];
}

const asking: readonly ScriptAnswer[] = [
  { text: 'May I?', toolCalls: [call('refund', 'c', { n: 1 }), call('refund', 'd', { n: 2 }), call('look', 'l')] },
  { text: 'Helped.' },
];

const look = { execute: () => 'looked' };
const refund = requireApproval({ execute: () => 'refunded' });

const ways = { 'a sub-agent': agentAsTool, 'an agent that took over': handOff } as const;

function teamOf(way: keyof typeof ways, given: Given = {}): Agent {
  const { helper: answers = asking, tools = { refund, look } } = given;
  const options: AnyAgentOptions = { name: 'helper', model: scriptedModel(answers), tools };
  const helper = defineAgent(options) as Agent;
  const outer = given.outer ?? [
    { text: 'A moment.', toolCalls: [call('helper', 'h', { prompt: 'x' })] },
    { text: 'Done.' },
  ];
  const made = { helper: ways[way](helper as never), own: refund };
  return defineAgent({ name: 'outer', model: scriptedModel(outer), tools: made } as AnyAgentOptions) as Agent;
}

const states = ({ parts }: UIMessage): unknown[] =>
  parts.filter(isToolUIPart).map(({ type, toolCallId, state }) => [type, toolCallId, state]);

/** The message as the hooks of the AI SDK leave it when the user has answered. */
function answered(message: UIMessage, approved: Readonly<Record<string, boolean>>): UIMessage {
  const parts = message.parts.map((part) => {
    if (!isToolUIPart(part) || part.state !== 'approval-requested' || !(part.approval.id in approved)) return part;
    const { id } = part.approval;
    return { ...part, state: 'approval-responded', approval: { id, approved: approved[id] } };
  });
  return { ...message, parts: parts as UIMessage['parts'] };
}

/** A follower has the same message at once, entry by entry, and after every entry of the journal. */
async function expectFollowed(agent: Agent, engine: Engine, message: UIMessage): Promise<void> {
  const followed = await readMessage(agent.follow('r', { engine }));
  expect(shown(followed.message)).toEqual(shown(message));
  const { length } = await engine.journal('r');
  for (let after = 1; after <= length; after += 1) {
    const half: Engine = {
      ...engine,
      journal: async (id, query) => (await engine.journal(id, query)).filter(({ seq }) => seq <= after),
      summary: (id) => engine.summary(id),
      ending: (id) => engine.ending(id),
    };
    const before = await readMessage(agent.follow('r', { engine: half }));
    const rest = await readMessage(agent.follow('r', { engine, after }), { before: before.message });
    expect([after, shown(rest.message)]).toEqual([after, shown(message)]);
  }
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('an approval inside %s', (way) => {
  it('is a part of the message that the page answers', async () => {
    const engine = memoryEngine();
    const agent = teamOf(way);
    const paused = await readMessage(agent.stream('go', { engine, runId: 'r' }));
    expect(states(paused.message)).toEqual([
      ['tool-helper', 'h', 'input-available'],
      ['tool-refund', 'helper:h/c', 'approval-requested'],
      ['tool-refund', 'helper:h/d', 'approval-requested'],
    ]);
    expect(paused.message.parts).toContainEqual(
      expect.objectContaining({ toolCallId: 'helper:h/c', input: { n: 1 }, approval: { id: 'helper:h/c' } }),
    );
    expect(shown((await readMessage(agent.follow('r', { engine }))).message)).toEqual(shown(paused.message));

    const half = answered(paused.message, { 'helper:h/c': true });
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [half] })).toBe(false);
    const both = answered(half, { 'helper:h/d': false });
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [both] })).toBe(true);
    const answers = uiAnswers(both);
    expect(answers).toEqual({ 'helper:h/c': { decision: 'approve' }, 'helper:h/d': { decision: 'deny' } });
    const ended = await readMessage(agent.resumeStream('r', { engine, answers }), { before: both });
    expect(ended.message.metadata).toMatchObject({ ending: { kind: 'natural_end' } });
    expect(states(ended.message)).toEqual([
      ['tool-helper', 'h', 'output-available'],
      ['tool-refund', 'helper:h/c', 'output-available'],
      ['tool-refund', 'helper:h/d', 'output-denied'],
    ]);
    await expectFollowed(agent, engine, ended.message);
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [ended.message] })).toBe(false);
  });

  it('that was granted has the result or the error of its call, and no word of the server', async () => {
    const engine = memoryEngine();
    const fails = requireApproval({
      execute: () => {
        throw new Error('at /srv/app/secret.ts');
      },
    });
    const inner = agentAsTool(defineAgent({ name: 'inner', model: scriptedModel([{ text: 'inner words' }]) }));
    const agent = teamOf(way, {
      helper: [{ toolCalls: [call('fails', 'f'), call('inner', 'i', { prompt: 'y' })] }, { text: 'Helped.' }],
      tools: { fails, inner: requireApproval(inner) },
    });
    const paused = await readMessage(agent.stream('go', { engine, runId: 'r' }));
    const said = answered(paused.message, { 'helper:h/f': true, 'helper:h/i': true });
    const ended = await readMessage(agent.resumeStream('r', { engine, answers: uiAnswers(said) }), { before: said });
    expect(ended.message.parts.filter(isToolUIPart).slice(1)).toMatchObject([
      { type: 'tool-fails', toolCallId: 'helper:h/f', state: 'output-error', errorText: 'The tool failed.' },
      { type: 'tool-inner', toolCallId: 'helper:h/i', state: 'output-available', output: { output: 'inner words' } },
    ]);
    expect(JSON.stringify(ended.chunks)).not.toContain('/srv/app');
    await expectFollowed(agent, engine, ended.message);
  });

  it('and the result of a call that the page performs are asked for in one part', async () => {
    const engine = memoryEngine();
    const agent = teamOf(way, {
      helper: [{ toolCalls: [call('place', 'p')] }, { text: 'Helped.' }],
      tools: { place: requireApproval(clientTool({})) },
    });
    const paused = await readMessage(agent.stream('go', { engine, runId: 'r' }));
    expect(states(paused.message).at(-1)).toEqual(['tool-place', 'helper:h/p', 'approval-requested']);
    const yes = answered(paused.message, { 'helper:h/approval:p': true });
    const answers = uiAnswers(yes);
    const called = await readMessage(agent.resumeStream('r', { engine, answers }), { before: yes });
    const parts = called.message.parts.map((part) =>
      isToolUIPart(part) && part.toolCallId === 'helper:h/p'
        ? { ...part, state: 'output-available', output: { city: 'Oslo' } }
        : part,
    );
    const given = { ...called.message, parts: parts as UIMessage['parts'] };
    expect(uiAnswers(given)).toEqual({ 'helper:h/p': { decision: 'value', value: { city: 'Oslo' } } });
    const stream = agent.resumeStream('r', { engine, answers: uiAnswers(given) });
    const ended = await readMessage(stream, { before: given });
    expect(ended.message.parts).toContainEqual(
      expect.objectContaining({ toolCallId: 'helper:h/p', state: 'output-available', output: { city: 'Oslo' } }),
    );
    await expectFollowed(agent, engine, ended.message);
  });

  it('is asked again under another id when the model asks twice with the same one', async () => {
    const engine = memoryEngine();
    const again: ScriptAnswer = { toolCalls: [call('refund', 'c')] };
    const agent = teamOf(way, { helper: [again, again, { text: 'Helped.' }] });
    let read = await readMessage(agent.stream('go', { engine, runId: 'r' }));
    for (const [id, approved] of [
      ['helper:h/c', true],
      ['helper:h/c#2', false],
    ] as const) {
      const said = answered(read.message, { [id]: approved });
      read = await readMessage(agent.resumeStream('r', { engine, answers: uiAnswers(said) }), { before: said });
    }
    expect(states(read.message).slice(1)).toEqual([
      ['tool-refund', 'helper:h/c', 'output-available'],
      ['tool-refund', 'helper:h/c#2', 'output-denied'],
    ]);
    await expectFollowed(agent, engine, read.message);
  });

  it('is withdrawn with the run, and asked again in the same part when the run is resumed', async () => {
    const engine = memoryEngine();
    const agent = teamOf(way);
    await agent.run('go', { engine, runId: 'r' });
    await engine.cancel('r', { by: 'caller' });
    // Whoever resumes it carries out the cancellation first.
    await agent.resume('r', { engine });
    const resumed = await readMessage(agent.follow('r', { engine }));
    const closed = resumed.chunks.filter(({ type }) => type === 'tool-output-error');
    expect(closed).toMatchObject([{ toolCallId: 'helper:h/c' }, { toolCallId: 'helper:h/d' }]);
    expect(states(resumed.message).slice(1)).toEqual([
      ['tool-refund', 'helper:h/c', 'approval-requested'],
      ['tool-refund', 'helper:h/d', 'approval-requested'],
    ]);
    const said = answered(resumed.message, { 'helper:h/c': true, 'helper:h/d': false });
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [said] })).toBe(true);
    const ended = await readMessage(agent.resumeStream('r', { engine, answers: uiAnswers(said) }), { before: said });
    expect(states(ended.message).slice(1)).toEqual([
      ['tool-refund', 'helper:h/c', 'output-available'],
      ['tool-refund', 'helper:h/d', 'output-denied'],
    ]);
    await expectFollowed(agent, engine, ended.message);
  });
});

describe('an approval inside a sub-agent', () => {
  it('whose time is over closes its part in the stream and for followers', async () => {
    const engine = memoryEngine({ clock: simulatedClock() });
    const agent = teamOf('a sub-agent', {
      helper: [{ toolCalls: [call('refund', 'c')] }, { text: 'Helped.' }],
      tools: { refund: requireApproval({ execute: () => 'refunded' }, { deadline: '1h' }) },
    });
    const expired = await readMessage(agent.stream('go', { engine, runId: 'r', onPause: 'wait' }));
    const entries = await engine.journal('r', { types: ['request_expired'] });
    expect(entries).toMatchObject([{ data: { requestId: 'helper:h/c', onExpiry: 'end' } }]);
    const closed = expired.chunks.filter(({ type }) => type === 'tool-output-error');
    expect(closed).toMatchObject([{ toolCallId: 'helper:h/c' }]);
    // It is closed with the entry that says so, before the sub-agent has ended.
    const place = entries[0]?.seq ?? 0;
    const until: Engine = {
      ...engine,
      journal: async (id, query) => (await engine.journal(id, query)).filter(({ seq }) => seq <= place),
    };
    const early = await readMessage(agent.follow('r', { engine: until }));
    expect(states(early.message).at(-1)).toEqual(['tool-refund', 'helper:h/c', 'output-error']);
    expect(states(expired.message).at(-1)).toEqual(['tool-refund', 'helper:h/c', 'output-error']);
    expect(uiAnswers(expired.message)).toEqual({});
    await expectFollowed(agent, engine, expired.message);
  });

  it('beside one of the run itself reaches the run with it', async () => {
    const engine = memoryEngine();
    const both = [call('helper', 'h', { prompt: 'x' }), call('own', 'o')];
    const agent = teamOf('a sub-agent', { outer: [{ toolCalls: both }, { text: 'Done.' }] });
    const paused = await readMessage(agent.stream('go', { engine, runId: 'r' }));
    expect(states(paused.message)).toEqual([
      ['tool-helper', 'h', 'input-available'],
      ['tool-own', 'o', 'approval-requested'],
      ['tool-refund', 'helper:h/c', 'approval-requested'],
      ['tool-refund', 'helper:h/d', 'approval-requested'],
    ]);
    const said = answered(paused.message, { o: true, 'helper:h/c': true, 'helper:h/d': true });
    const ended = await readMessage(agent.resumeStream('r', { engine, answers: uiAnswers(said) }), { before: said });
    expect(states(ended.message).map((state) => (state as string[])[2])).toEqual(Array(4).fill('output-available'));
    await expectFollowed(agent, engine, ended.message);
  });

  it('is asked in the sub-agent of a sub-agent, too', async () => {
    const engine = memoryEngine();
    const inner = defineAgent({ name: 'inner', model: scriptedModel(asking), tools: { refund, look } });
    const agent = teamOf('a sub-agent', {
      helper: [{ toolCalls: [call('inner', 'i', { prompt: 'y' })] }, { text: 'Helped.' }],
      tools: { inner: agentAsTool(inner) },
    });
    const paused = await readMessage(agent.stream('go', { engine, runId: 'r' }));
    expect(states(paused.message).slice(1)).toEqual([
      ['tool-refund', 'helper:h/inner:i/c', 'approval-requested'],
      ['tool-refund', 'helper:h/inner:i/d', 'approval-requested'],
    ]);
    const said = answered(paused.message, { 'helper:h/inner:i/c': true, 'helper:h/inner:i/d': false });
    const ended = await readMessage(agent.resumeStream('r', { engine, answers: uiAnswers(said) }), { before: said });
    expect(states(ended.message).slice(1)).toEqual([
      ['tool-refund', 'helper:h/inner:i/c', 'output-available'],
      ['tool-refund', 'helper:h/inner:i/d', 'output-denied'],
    ]);
    await expectFollowed(agent, engine, ended.message);
  });
});
