import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { approve } from '../agent/directive.js';
import { requireApproval } from '../agent/tool.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted-model.js';
import { ownerAfterOwner } from '../pipeline/owner-after-owner.fixture.js';
import { pipeline } from '../pipeline/pipeline.js';
import { using } from '../pipeline/using.js';
import { randomFaults } from '../testing/fault-plan.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { instrument } from './instrument.js';
import { projectJournal } from './project-journal.js';
import { observed, pathsOf } from './providers.fixture.js';
import { toTraceparent } from './traceparent.js';

const usage = { inputTokens: 10, outputTokens: 5 };

function searching(
  answers = [
    { toolCalls: [{ tool: 'search', input: {}, id: 'c1' }], usage, delay: '2s' },
    { text: 'found', usage, delay: '1s' },
  ],
  clock = simulatedClock(),
) {
  const agent = defineAgent({
    name: 'searcher',
    model: scriptedModel(answers as never, { clock }),
    tools: { search: { inputSchema: { type: 'object' }, execute: () => 'hit' } },
  });
  const flow = pipeline('flow')
    .stage('first', () => 1)
    .phase('work', (phase) =>
      phase.stage(
        'find',
        using(agent, () => 'go'),
      ),
    );
  return { flow, engine: memoryEngine({ clock }) };
}

const ms = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6;
const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no span ${name}`);
  return found;
};

describe('spans', () => {
  it('stand in one another as run, phase, stage, iteration, model and tool, with the times of the journal', async () => {
    const seen = observed();
    const { flow, engine } = searching();
    const start = engine.clock.now();
    await flow.run(undefined, { engine: instrument(engine, seen.telemetry) });
    expect(pathsOf(seen.spans())).toEqual([
      'start',
      'start > run > stage',
      'start > run > phase > stage > iteration > model',
      'start > run > phase > stage > iteration > tool',
      'start > run > phase > stage > iteration',
      'start > run > phase > stage > iteration > model',
      'start > run > phase > stage > iteration',
      'start > run > phase > stage',
      'start > run > phase',
      'start > run',
    ]);
    const [model] = seen.spans().filter(({ name }) => name === 'fullstop.model');
    expect([ms(model?.startTime ?? [0, 0]) - start, ms(model?.endTime ?? [0, 0]) - start]).toEqual([0, 2000]);
    const run = named(seen.spans(), 'fullstop.run');
    expect(ms(run.endTime) - ms(run.startTime)).toBe(3000);
    expect(run.attributes).toMatchObject({
      'fullstop.run.name': 'flow',
      'fullstop.segment': 1,
      'fullstop.outcome': 'succeeded',
      'fullstop.termination': 'flow_completed',
    });
    expect(run.status.code).toBe(SpanStatusCode.UNSET);
    expect(model?.kind).toBe(SpanKind.CLIENT);
    expect(seen.openSpans()).toEqual([]);
  });

  it('say what failed: run, stage and call, but not what was paused or cancelled', async () => {
    const seen = observed();
    const engine = instrument(memoryEngine(), seen.telemetry);
    await pipeline('flow')
      .stage('broken', (): number => {
        throw new RangeError('too much');
      })
      .run(undefined, { engine });
    for (const name of ['fullstop.run', 'fullstop.stage']) {
      expect(named(seen.spans(), name).status.code).toBe(SpanStatusCode.ERROR);
    }
    const stage = named(seen.spans(), 'fullstop.stage');
    expect(stage.attributes['error.type']).toBe('failed');
    expect(stage.events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'RangeError', 'exception.message': 'too much' } },
    ]);
    const other = observed();
    await pipeline('flow')
      .stage('asks', (_, { context }) => context.wait({ id: 'q', type: 'input' }))
      .run(undefined, { engine: instrument(memoryEngine(), other.telemetry) });
    expect(other.spans().map(({ status }) => status.code)).toEqual(other.spans().map(() => SpanStatusCode.UNSET));
    expect(named(other.spans(), 'fullstop.stage').attributes['fullstop.left']).toBe('paused');
  });

  it('say which call of a tool failed', async () => {
    const seen = observed();
    const agent = defineAgent({
      name: 'a',
      model: scriptedModel([{ toolCalls: [{ tool: 'bad', input: {} }] }, { error: { status: 500 } }]),
      tools: {
        bad: {
          inputSchema: { type: 'object' },
          execute: () => {
            throw new TypeError('no');
          },
        },
      },
      retry: { attempts: 1 },
    });
    await agent.run('go', { engine: instrument(memoryEngine(), seen.telemetry) });
    expect(named(seen.spans(), 'fullstop.tool')).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'fullstop.tool': 'bad', 'error.type': 'TypeError' },
    });
    const models = seen.spans().filter(({ name }) => name === 'fullstop.model');
    expect(models.map(({ status }) => status.code)).toEqual([SpanStatusCode.UNSET, SpanStatusCode.ERROR]);
  });

  it('hang on an incoming trace, also when a worker elsewhere executes the run', async () => {
    const seen = observed();
    const { flow, engine } = searching();
    const caller = seen.tracerProvider.getTracer('caller').startSpan('request');
    const { AsyncLocalStorage } = await import('node:async_hooks');
    const storage = new AsyncLocalStorage<typeof ROOT_CONTEXT>();
    context.setGlobalContextManager({
      active: () => storage.getStore() ?? ROOT_CONTEXT,
      with: (active, callback, self, ...args) => storage.run(active, () => callback.call(self as never, ...args)),
      bind: (_, target) => target,
      enable() {
        return this;
      },
      disable() {
        return this;
      },
    });
    try {
      const instrumented = instrument(engine, seen.telemetry);
      await context.with(trace.setSpan(ROOT_CONTEXT, caller), () =>
        instrumented.start({ runId: 'r', name: 'flow', version: '1' }),
      );
      const elsewhere = observed();
      const worker = instrument(engine, elsewhere.telemetry).worker([flow]);
      await engine.waitForEnding('r', 1);
      await worker.stop();
      const run = named(elsewhere.spans(), 'fullstop.run');
      expect(run.spanContext().traceId).toBe(caller.spanContext().traceId);
      expect(run.parentSpanContext?.spanId).toBe(named(seen.spans(), 'fullstop.start').spanContext().spanId);
      const [started] = await engine.journal('r');
      expect(started?.data).toMatchObject({
        options: { traceparent: toTraceparent(named(seen.spans(), 'fullstop.start').spanContext()) },
      });
    } finally {
      context.disable();
    }
  });

  it('of a resumed segment link to the earlier one, in this process and in another', async () => {
    const agent = () =>
      defineAgent({
        name: 'sender',
        model: scriptedModel([{ toolCalls: [{ tool: 'send', input: {}, id: 'c1' }] }, { text: 'sent' }]),
        tools: { send: requireApproval({ execute: () => 'ok' }) },
      });
    for (const elsewhere of [false, true]) {
      const seen = observed();
      const engine = memoryEngine();
      const sender = agent();
      await sender.run('go', { engine: instrument(engine, seen.telemetry), runId: 'r' });
      const first = named(seen.spans(), 'fullstop.run').spanContext();
      const started = named(seen.spans(), 'fullstop.start').spanContext();
      const later = elsewhere ? observed() : seen;
      await sender.resume('r', { engine: instrument(engine, later.telemetry), answers: { c1: approve() } });
      const second = later
        .spans()
        .filter(({ name }) => name === 'fullstop.run')
        .at(-1);
      expect(second?.attributes['fullstop.segment']).toBe(2);
      const linked = second?.links.map(({ context: { spanId } }) => spanId);
      expect(linked).toEqual([elsewhere ? started.spanId : first.spanId]);
      expect(later.openSpans()).toEqual([]);
    }
  });
});

describe('no span is leaked', () => {
  it('whatever fails, crashes or is taken away', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), async (seed) => {
        const seen = observed();
        const { flow, engine } = searching();
        const faults = randomFaults(seed, {
          count: 3,
          within: 12,
          points: ['append', 'flush', 'conclude'],
          effects: ['crash', 'crash_after', 'fail', 'fail_after', 'fence'],
        });
        const faulty = faultyEngine(engine, faults);
        const execute: typeof flow.execute = (session) => flow.execute(session, faulty);
        // Telemetry stands outside: it sees what the faulty store does to its sessions.
        const outside = instrument(faulty, seen.telemetry);
        await ownerAfterOwner(
          Object.assign(Object.create(faulty) as typeof faulty, { claim: outside.claim, start: outside.start }),
          { name: flow.name, version: flow.version, execute },
          'r',
        );
        seen.telemetry.shutdown();
        expect(seen.openSpans()).toEqual([]);
        expect(seen.endedTwice()).toBe(0);
        const active = await seen.points('fullstop.run.active');
        expect(active.every(({ value }) => value === 0)).toBe(true);
      }),
      { numRuns: 80 },
    );
  }, 60_000);
});

describe('stored journals', () => {
  it('give the same spans and numbers as following the run did', async () => {
    const live = observed();
    const clock = simulatedClock();
    const { flow, engine } = searching(undefined, clock);
    const result = await flow.run(undefined, { engine: instrument(engine, live.telemetry) });
    const stored = observed();
    projectJournal(await result.journal(), stored.telemetry);
    const facts = (spans: readonly ReadableSpan[]) =>
      spans
        .filter(({ name }) => name !== 'fullstop.start')
        .map(({ name, startTime, endTime, status, attributes }) => ({ name, startTime, endTime, status, attributes }));
    expect(facts(stored.spans())).toEqual(facts(live.spans()));
    for (const name of [
      'pipeline.run.completed',
      'pipeline.stage.completed',
      'pipeline.stage.tokens',
      'fullstop.run.started',
      'fullstop.run.ended',
      'fullstop.run.tokens',
    ]) {
      expect(await stored.points(name)).toEqual(await live.points(name));
    }
    expect(stored.openSpans()).toEqual([]);
  });

  it('of an unfinished run leave no span open', async () => {
    const { flow, engine } = searching();
    const result = await flow.run(undefined, { engine });
    const journal = await result.journal();
    for (let length = 0; length <= journal.length; length += 1) {
      const stored = observed();
      projectJournal(journal.slice(0, length), stored.telemetry);
      expect(stored.openSpans()).toEqual([]);
    }
  });
});

describe('the GenAI conventions', () => {
  it('are emitted only when they are asked for', async () => {
    const seen = observed({ genAiV1_41: true });
    const { flow, engine } = searching();
    await flow.run(undefined, { engine: instrument(engine, seen.telemetry) });
    const spans = seen.spans();
    const agent = named(spans, 'invoke_agent searcher');
    expect(agent.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'searcher',
      'gen_ai.agent.finish_reason': 'natural_end',
    });
    expect(named(spans, 'execute_tool search').attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
    });
    const chat = spans.find(({ name }) => name.startsWith('chat'));
    expect(chat?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
    });
    expect(chat?.attributes['gen_ai.response.finish_reasons']).toEqual(['tool_calls']);
    expect(await seen.points('gen_ai.client.token.usage')).toMatchObject([
      { 'gen_ai.token.type': 'input', value: 2 },
      { 'gen_ai.token.type': 'output', value: 2 },
    ]);
    expect(await seen.points('gen_ai.client.operation.duration')).toMatchObject([
      { 'gen_ai.operation.name': 'chat', value: 2 },
    ]);
    expect(await seen.units()).toMatchObject({
      'gen_ai.client.token.usage': '{token}',
      'gen_ai.client.operation.duration': 's',
    });
    const without = observed();
    await searching().flow.run(undefined, { engine: instrument(searching().engine, without.telemetry) });
    expect(Object.keys(await without.units()).filter((name) => name.startsWith('gen_ai'))).toEqual([]);
    expect(JSON.stringify(without.spans().map(({ name, attributes }) => [name, attributes]))).not.toContain('gen_ai');
  });
});
