import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.js';
import { approve } from '../../agent/options/directive.js';
import { agentAsTool } from '../../agent/tools/agent-as-tool.js';
import { requireApproval } from '../../agent/tools/tool.js';
import { defineConvergence } from '../../convergence/define-convergence.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { using } from '../../pipeline/perform/using.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { defineRun } from '../../run/define-run.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { loadWorkflow } from '../../workflow/load-workflow.js';
import { instrument } from '../instrument.js';
import { projectJournal } from '../project-journal.js';
import { observed } from '../providers.fixture.js';
import { named, searching } from '../searching.fixture.js';
import { createTelemetry } from '../telemetry.js';

const genAi = '2026-10';
const usage = { inputTokens: 30, outputTokens: 12, cachedInputTokens: 20, reasoningTokens: 5 };

/** A pipeline whose agent calls a tool and a sub-agent, and whose last stage fails. */
function everything() {
  const clock = simulatedClock();
  const sub = defineAgent({ name: 'sub', model: scriptedModel([{ text: 'x', usage, delay: '1s' }], { clock }) });
  const calls = [
    { tool: 'search', input: {}, id: 'c1' },
    { tool: 'invented', input: {}, id: 'c2' },
    { tool: 'ask', input: { prompt: 'x' }, id: 'c3' },
    { tool: 'broken', input: {}, id: 'c4' },
  ];
  const agent = defineAgent({
    name: 'searcher',
    model: scriptedModel(
      [
        { toolCalls: calls, usage, delay: '2s' },
        { text: 'found', usage, delay: '1s' },
      ],
      { clock },
    ),
    tools: {
      search: { inputSchema: { type: 'object' }, execute: () => 'hit' },
      broken: { inputSchema: { type: 'object' }, execute: () => Promise.reject(new TypeError('no')) },
      ask: agentAsTool(sub, { description: 'Asks another agent' }),
    },
  });
  const flow = pipeline('flow')
    .stage(
      'find',
      using(agent, () => 'go'),
    )
    .stage('fail', (): number => {
      throw new RangeError('too much');
    });
  return { flow, engine: memoryEngine({ clock }) };
}

async function observeEverything(options = {}) {
  const seen = observed({ genAi, ...options });
  const { flow, engine } = everything();
  const result = await flow.run(undefined, { engine: instrument(engine, seen.telemetry), runId: 'r' });
  return { seen, result };
}

describe('spans of the GenAI conventions', () => {
  it('name agents, workflows, model calls and tool calls', async () => {
    const { seen } = await observeEverything();
    const spans = seen.spans();
    const flow = named(spans, 'invoke_workflow flow');
    expect(flow.kind).toBe(SpanKind.INTERNAL);
    expect(flow.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'flow',
      'fullstop.termination': 'child_failed',
      'error.type': 'child_failed',
    });
    const agent = named(spans, 'invoke_agent searcher');
    expect(agent.kind).toBe(SpanKind.INTERNAL);
    expect(agent.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'searcher',
      'gen_ai.conversation.id': 'r/find',
      'fullstop.termination': 'natural_end',
    });
    const chat = named(spans, 'chat scripted');
    expect(chat.kind).toBe(SpanKind.CLIENT);
    expect(chat.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'scripted',
      'gen_ai.response.model': 'scripted',
      'gen_ai.response.finish_reasons': ['tool_calls'],
      'gen_ai.conversation.id': 'r/find',
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.output_tokens': 12,
      'gen_ai.usage.cache_read.input_tokens': 20,
      'gen_ai.usage.reasoning.output_tokens': 5,
    });
    expect(named(spans, 'execute_tool search').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.agent.name': 'searcher',
    });
    const broken = named(spans, 'execute_tool broken');
    expect(broken.attributes).toMatchObject({ 'gen_ai.tool.call.id': 'c4', 'error.type': 'TypeError' });
    expect(broken.status.code).toBe(SpanStatusCode.ERROR);
    // The id of a call is in the conversation of a sub-agent, and not in its name.
    expect(named(spans, 'invoke_agent ask').attributes).toMatchObject({
      'gen_ai.agent.name': 'ask',
      'gen_ai.conversation.id': 'r/find/ask:c3',
    });
    expect(seen.openSpans()).toEqual([]);
  });

  it('name whatever coordinates others a workflow, and leave a run of one’s own as it is', async () => {
    const seen = observed({ genAi });
    const engine = instrument(memoryEngine(), seen.telemetry);
    await defineRun({ name: 'own', run: async () => terminations.naturalEnd() }).run(undefined, { engine });
    await defineConvergence({ name: 'facts', suggestors: [] }).run(undefined, { engine });
    const text =
      'workflow: {name: file, entry_point: a}\nagents: [{name: a, type: set, value: "1", routes: [{to: $end}]}]';
    await loadWorkflow('file.yaml', { text }).run({}, { engine });
    const inner = pipeline('inner').stage('only', () => 1);
    await pipeline('outer')
      .stage(
        'nested',
        using(inner, () => undefined),
      )
      .run(undefined, { engine });
    const names = seen.spans().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fullstop.run', 'invoke_workflow facts', 'invoke_workflow file']));
    expect(names).toEqual(expect.arrayContaining(['invoke_workflow inner', 'invoke_workflow outer']));
    const workflows = (await seen.points('gen_ai.invoke_workflow.duration')).map(
      (each) => each['gen_ai.workflow.name'],
    );
    expect([...workflows].sort()).toEqual(['facts', 'file', 'inner', 'outer']);
  });

  it('say what is executed from the start of a resumed segment on, with the calls of that segment', async () => {
    const seen = observed({ genAi });
    const engine = instrument(memoryEngine(), seen.telemetry);
    const sender = defineAgent({
      name: 'sender',
      model: scriptedModel([{ toolCalls: [{ tool: 'send', input: {}, id: 'c1' }] }, { text: 'sent' }]),
      tools: { send: requireApproval({ execute: () => 'ok' }) },
    });
    await sender.run('go', { engine, runId: 'r' });
    await sender.resume('r', { engine, answers: { c1: approve() } });
    const agents = seen.spans().filter(({ name }) => name === 'invoke_agent sender');
    expect(agents.map(({ attributes }) => attributes['fullstop.segment'])).toEqual([1, 2]);
    expect(agents.map(({ attributes }) => attributes['gen_ai.conversation.id'])).toEqual(['r', 'r']);
    // The call was asked for in the first segment, and made in the second.
    expect(named(seen.spans(), 'execute_tool send').attributes['gen_ai.tool.call.id']).toBe('c1');
    expect(await seen.points('gen_ai.invoke_agent.duration')).toMatchObject([{ value: 2 }]);
    expect(await seen.sums('gen_ai.invoke_agent.inference_calls')).toEqual([2]);
    expect(await seen.sums('gen_ai.invoke_agent.tool_calls')).toEqual([1]);
  });

  it('have the name of the provider that the journal holds, slashes and all', async () => {
    const seen = observed({ genAi });
    const model = { ...scriptedModel([{ text: 'x' }]), provider: 'my/own.chat', modelId: 'org/model' };
    const result = await defineAgent({ name: 'a', model }).run('go', {
      engine: instrument(memoryEngine(), seen.telemetry),
    });
    const chat = named(seen.spans(), 'chat org/model');
    expect(chat.attributes).toMatchObject({
      'gen_ai.provider.name': 'my/own',
      'gen_ai.request.model': 'org/model',
    });
    const step = (await result.journal()).find(({ type }) => type === 'step_ended');
    expect(step?.data).toMatchObject({ value: { provider: 'my/own.chat', model: 'my/own.chat/org/model' } });
  });

  it('of calls that failed say so', async () => {
    const seen = observed({ genAi });
    const model = scriptedModel([{ error: { status: 500 } }]);
    await defineAgent({ name: 'a', model, retry: { attempts: 1 } }).run('go', {
      engine: instrument(memoryEngine(), seen.telemetry),
    });
    const chat = named(seen.spans(), 'chat scripted');
    expect(chat.attributes).toMatchObject({
      'gen_ai.provider.name': 'scripted',
      'gen_ai.response.finish_reasons': ['error'],
    });
    const failure = chat.attributes['error.type'];
    expect(failure).toEqual(expect.any(String));
    expect(await seen.points('gen_ai.client.inference.duration')).toMatchObject([{ 'error.type': failure, value: 1 }]);
    expect(await seen.points('gen_ai.client.inference.usage.output_tokens')).toMatchObject([{ value: 0 }]);
    expect(await seen.points('gen_ai.invoke_agent.duration')).toMatchObject([
      { 'gen_ai.agent.name': 'a', 'error.type': 'provider_failed', value: 1 },
    ]);
  });
});

describe('metrics of the GenAI conventions', () => {
  it('have their names, units and attributes', async () => {
    const { seen } = await observeEverything();
    const units = await seen.units();
    expect(Object.fromEntries(Object.entries(units).filter(([name]) => name.startsWith('gen_ai.')))).toEqual({
      'gen_ai.client.inference.duration': 's',
      'gen_ai.client.inference.usage.input_tokens': '{token}',
      'gen_ai.client.inference.usage.output_tokens': '{token}',
      'gen_ai.client.inference.usage.cache_read.input_tokens': '{token}',
      'gen_ai.client.inference.usage.reasoning.output_tokens': '{token}',
      'gen_ai.invoke_agent.duration': 's',
      'gen_ai.invoke_agent.inference_calls': '{inference_call}',
      'gen_ai.invoke_agent.tool_calls': '{tool_call}',
      'gen_ai.execute_tool.duration': 's',
      'gen_ai.invoke_workflow.duration': 's',
    });
    const model = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'scripted',
      'gen_ai.response.model': 'scripted',
    };
    expect(await seen.points('gen_ai.client.inference.duration')).toEqual([{ ...model, value: 3 }]);
    const tokens = { ...model, 'gen_ai.token.modality': 'unknown' };
    expect(await seen.points('gen_ai.client.inference.usage.input_tokens')).toEqual([{ ...tokens, value: 90 }]);
    expect(await seen.points('gen_ai.client.inference.usage.output_tokens')).toEqual([{ ...tokens, value: 36 }]);
    expect(await seen.points('gen_ai.client.inference.usage.cache_read.input_tokens')).toEqual([
      { ...tokens, value: 60 },
    ]);
    expect(await seen.points('gen_ai.client.inference.usage.reasoning.output_tokens')).toEqual([
      { ...tokens, value: 15 },
    ]);
  });

  it('measure an agent, its calls and a workflow by the times of their spans', async () => {
    const { seen } = await observeEverything();
    const seconds = (name: string): number => {
      const { startTime, endTime } = named(seen.spans(), name);
      return endTime[0] - startTime[0] + (endTime[1] - startTime[1]) / 1e9;
    };
    const agent = (await seen.points('gen_ai.invoke_agent.duration')).map((each) => each['gen_ai.agent.name']);
    expect(agent).toEqual(['ask', 'searcher']);
    expect(await seen.sums('gen_ai.invoke_agent.duration')).toEqual([
      seconds('invoke_agent ask'),
      seconds('invoke_agent searcher'),
    ]);
    expect(await seen.sums('gen_ai.invoke_agent.inference_calls')).toEqual([1, 2]);
    // The tool, the broken one and the sub-agent; what does not exist was not called.
    expect(await seen.sums('gen_ai.invoke_agent.tool_calls')).toEqual([0, 3]);
    expect(await seen.sums('gen_ai.invoke_workflow.duration')).toEqual([seconds('invoke_workflow flow')]);
    expect(await seen.points('gen_ai.invoke_workflow.duration')).toEqual([
      { 'gen_ai.workflow.name': 'flow', 'error.type': 'child_failed', value: 1 },
    ]);
    const tool = { 'gen_ai.agent.name': 'searcher', 'gen_ai.tool.type': 'function' };
    expect(await seen.points('gen_ai.execute_tool.duration')).toEqual([
      { ...tool, 'gen_ai.tool.name': 'search', value: 1 },
      { ...tool, 'gen_ai.tool.name': 'broken', 'error.type': 'TypeError', value: 1 },
    ]);
  });

  it('are the same when nobody traces, and from a stored journal', async () => {
    const { seen, result } = await observeEverything();
    const [untraced, stored] = [observed(), observed({ genAi })];
    const telemetry = createTelemetry({ genAi, meterProvider: untraced.meterProvider });
    projectJournal(await result.journal(), telemetry);
    projectJournal(await result.journal(), stored.telemetry);
    const names = Object.keys(await seen.units()).filter((name) => name.startsWith('gen_ai.'));
    for (const name of names) {
      const expected = await seen.points(name);
      expect(await untraced.points(name), name).toEqual(expected);
      expect(await stored.points(name), name).toEqual(expected);
    }
  });

  it('count an agent that waits for a person within a pipeline when its span ends', async () => {
    const seen = observed({ genAi });
    const sender = defineAgent({
      name: 'sender',
      model: scriptedModel([{ toolCalls: [{ tool: 'send', input: {}, id: 'c1' }] }]),
      tools: { send: requireApproval({ execute: () => 'ok' }) },
    });
    await pipeline('p')
      .stage(
        'send',
        using(sender, () => 'go'),
      )
      .run(undefined, { engine: instrument(memoryEngine(), seen.telemetry) });
    expect(await seen.points('gen_ai.invoke_agent.duration')).toEqual([{ 'gen_ai.agent.name': 'sender', value: 1 }]);
    expect(await seen.points('gen_ai.invoke_workflow.duration')).toEqual([{ 'gen_ai.workflow.name': 'p', value: 1 }]);
  });
});

describe('names of the GenAI conventions', () => {
  it('are only emitted when they are asked for', async () => {
    const seen = observed();
    const { flow, engine } = searching();
    await flow.run(undefined, { engine: instrument(engine, seen.telemetry) });
    expect(Object.keys(await seen.units()).filter((name) => name.startsWith('gen_ai'))).toEqual([]);
    expect(JSON.stringify(seen.spans().map(({ name, attributes }) => [name, attributes]))).not.toContain('gen_ai');
  });

  it('are used for nothing that the conventions do not have', async () => {
    const { seen } = await observeEverything();
    const used = new Set(seen.spans().flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...used].filter((name) => name.startsWith('gen_ai.')).sort()).toEqual([
      'gen_ai.agent.name',
      'gen_ai.conversation.id',
      'gen_ai.operation.name',
      'gen_ai.provider.name',
      'gen_ai.request.model',
      'gen_ai.response.finish_reasons',
      'gen_ai.response.id',
      'gen_ai.response.model',
      'gen_ai.tool.call.id',
      'gen_ai.tool.name',
      'gen_ai.tool.type',
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.reasoning.output_tokens',
      'gen_ai.workflow.name',
    ]);
  });
});
