import {
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.js';
import { approve } from '../../agent/options/directive.js';
import { requireApproval } from '../../agent/tools/tool.js';
import { defineConvergence } from '../../convergence/define-convergence.js';
import { suggestor } from '../../convergence/options/suggestor.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { defineRun } from '../../run/define-run.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { instrument } from '../instrument.js';
import { projectJournal } from '../project-journal.js';
import { observed, pathsOf } from '../providers.fixture.js';
import { named, searching } from '../searching.fixture.js';
import { createTelemetry } from '../telemetry.js';
import { toTraceparent } from './traceparent.js';

const ms = ([seconds, nanos]: readonly [number, number]): number => seconds * 1000 + nanos / 1e6;
describe('spans', () => {
  it('are there once, however often an engine was instrumented with the same telemetry', async () => {
    const [seen, other] = [observed(), observed()];
    const once = instrument(memoryEngine(), seen.telemetry);
    expect(instrument(once, seen.telemetry)).toBe(once);
    const engine = instrument(instrument(once, other.telemetry), seen.telemetry);
    await defineRun({ name: 'r', run: async () => terminations.naturalEnd() }).run(undefined, { engine });
    expect(pathsOf(seen.spans())).toEqual(['start', 'start > run']);
    expect(other.spans()).toHaveLength(2);
  });

  it('are nested as run, phase, stage, iteration, model and tool, with the times of the journal', async () => {
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

  it('of a spawned run are in the trace of the run that spawned it', async () => {
    const seen = observed();
    const inner = defineRun({ name: 'inner', run: async () => terminations.naturalEnd() });
    const outer = defineRun({
      name: 'outer',
      run: async (run) => {
        await (await run.spawn(inner)).ending();
        return terminations.naturalEnd();
      },
    });
    await outer.run(undefined, { engine: instrument(memoryEngine(), seen.telemetry) });
    expect(pathsOf(seen.spans())).toContain('start > run > start > run');
    expect(new Set(seen.spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(seen.openSpans()).toEqual([]);
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

describe('spans of everything else', () => {
  it('are cycles and suggestors of a convergence', async () => {
    const seen = observed();
    const engine = instrument(memoryEngine(), seen.telemetry);
    const inner = pipeline('inner').stage('only', () => 'x');
    const result = await defineConvergence({
      suggestors: [
        suggestor('first', {
          accepts: ({ facts }) => facts.size === 0,
          execute: ({ propose }) => propose('a', { n: 1 }),
        }),
        suggestor('unit', {
          dependsOn: ['a'],
          use: inner,
          input: () => undefined,
          propose: ({ propose, output }) => propose('b', { output }),
        }),
        suggestor('broken', {
          dependsOn: ['b'],
          optional: true,
          execute: () => {
            throw new RangeError('no');
          },
        }),
      ],
    }).run(undefined, { engine });
    expect(result.termination.kind).toBe('converged');
    const paths = pathsOf(seen.spans());
    expect(paths).toContain('start > run > cycle > suggestor');
    expect(paths).toContain('start > run > cycle > unit > stage');
    const cycles = seen.spans().filter(({ name }) => name === 'fullstop.cycle');
    expect(cycles.map(({ attributes }) => attributes['fullstop.cycle']).slice(0, 4)).toEqual([0, 1, 2, 3]);
    const broken = seen.spans().find(({ attributes }) => attributes['fullstop.suggestor'] === 'broken');
    expect(broken).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'RangeError' },
    });
    expect(seen.openSpans()).toEqual([]);
  });

  it("are the steps of a run of one's own, and iterations are numbered through resumes", async () => {
    const seen = observed();
    const engine = instrument(memoryEngine(), seen.telemetry);
    await defineRun({
      name: 'own',
      run: async (context) => {
        await context.step('load', () => 1);
        await context.step('save', () => Promise.reject(new TypeError('no'))).catch(() => undefined);
        return terminations.naturalEnd();
      },
    }).run(undefined, { engine });
    const steps = seen.spans().filter(({ name }) => name === 'fullstop.step');
    expect(steps.map(({ attributes }) => [attributes['fullstop.step'], attributes['error.type']])).toEqual([
      ['load', undefined],
      ['save', 'TypeError'],
    ]);
    const counted = observed();
    const agents = memoryEngine();
    const agent = defineAgent({
      name: 'a',
      model: scriptedModel([
        { toolCalls: [{ tool: 't', input: {} }] },
        { toolCalls: [{ tool: 't', input: { n: 1 } }] },
        { text: 'x' },
      ]),
      tools: { t: { inputSchema: { type: 'object' }, execute: () => 'ok' } },
      stopWhen: [maxIterations(2)],
    });
    await agent.run('go', { engine: instrument(agents, counted.telemetry), runId: 'r' });
    await agent.resume('r', { engine: instrument(agents, counted.telemetry), stopWhen: [maxIterations(9)] });
    const iterations = counted.spans().filter(({ name }) => name === 'fullstop.iteration');
    expect(iterations.map(({ attributes }) => attributes['fullstop.iteration'])).toEqual([1, 2, 3]);
  });
});

describe('without an SDK', () => {
  it('no span is asked for but the first of a segment, and the numbers are the same', async () => {
    const seen = observed();
    let asked = 0;
    const noop = new ProxyTracerProvider().getTracer('none');
    const startSpan: Tracer['startSpan'] = (...span) => {
      asked += 1;
      return noop.startSpan(...span);
    };
    const tracerProvider = { getTracer: () => ({ startSpan, startActiveSpan: () => undefined as never }) };
    const telemetry = createTelemetry({ meterProvider: seen.meterProvider, tracerProvider });
    const { flow, engine } = searching();
    await flow.run(undefined, { engine: instrument(engine, telemetry) });
    telemetry.flush();
    // That of the start, and that of the segment.
    expect(asked).toBe(2);
    expect((await seen.points('pipeline.stage.completed')).length).toBe(2);
    // A parent from elsewhere does not make it look like one that traces.
    const parent = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
    const segment = telemetry.observe({ runId: 'r', name: 'flow', segment: 1, startedAt: 0, parent });
    segment.entry({ type: 'scope_opened', scope: '', ordinal: 0, at: 0, key: 'a', data: { name: 'a', attempt: 1 } });
    expect(asked).toBe(3);
  });
});

describe('stored journals', () => {
  it('have the same spans and numbers as following the run did', async () => {
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
