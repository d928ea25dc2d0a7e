import type { Meter } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.js';
import { approve } from '../../agent/options/directive.js';
import { requireApproval } from '../../agent/tools/tool.js';
import { defineConvergence } from '../../convergence/define-convergence.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { openEngine } from '../../engines/sqlite/engine.fixture.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { defineRun } from '../../run/define-run.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { loadWorkflow } from '../../workflow/load-workflow.js';
import { instrument } from '../instrument.js';
import { projectJournal } from '../project-journal.js';
import { observed } from '../providers.fixture.js';
import { createTelemetry } from '../telemetry.js';

const usage = { inputTokens: 100, outputTokens: 20 };

function sender() {
  return defineAgent({
    name: 'sender',
    model: scriptedModel([
      { toolCalls: [{ tool: 'send', input: {}, id: 'c1' }], usage },
      { text: 'sent', usage },
    ]),
    tools: { send: requireApproval({ execute: () => 'ok' }) },
    prices: { scripted: { inputPerMillion: 1, outputPerMillion: 2 } },
  });
}

describe('the instruments of runs', () => {
  it('count every ending with its kind, and what it used, once', async () => {
    const seen = observed();
    const clock = simulatedClock();
    const engine = instrument(memoryEngine({ clock }), seen.telemetry);
    const agent = sender();
    const paused = await agent.run('go', { engine, runId: 'r' });
    expect(paused.termination.kind).toBe('interaction_pending');
    const run = { runtime: 'agent', name: 'sender' };
    expect(await seen.points('fullstop.run.started')).toEqual([{ ...run, value: 1 }]);
    expect(await seen.points('fullstop.run.active')).toEqual([{ ...run, value: 0 }]);
    const waiting = { ...run, outcome: 'paused', category: 'paused', termination: 'interaction_pending' };
    expect(await seen.points('fullstop.run.ended')).toEqual([{ ...waiting, value: 1 }]);

    await clock.sleep(60_000);
    await agent.resume('r', { engine, answers: { c1: approve() } });
    const done = { ...run, outcome: 'succeeded', category: 'success', termination: 'natural_end' };
    expect(await seen.points('fullstop.run.ended')).toEqual([
      { ...waiting, value: 1 },
      { ...done, value: 1 },
    ]);
    expect(await seen.points('fullstop.run.started')).toEqual([{ ...run, value: 1 }]);
    expect(await seen.points('fullstop.run.active')).toEqual([{ ...run, value: 0 }]);
    expect(await seen.points('fullstop.run.tokens')).toEqual([
      { ...waiting, token_type: 'input', value: 100 },
      { ...waiting, token_type: 'output', value: 20 },
      { ...done, token_type: 'input', value: 100 },
      { ...done, token_type: 'output', value: 20 },
    ]);
    const cost = await seen.points('fullstop.run.cost');
    expect(cost.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(0.00028);
    expect(await seen.points('fullstop.gate.wait')).toEqual([{ ...run, value: 1 }]);
    expect(await seen.points('fullstop.gate.opened')).toEqual([{ ...run, value: 1 }]);
    expect(await seen.points('fullstop.gate.closed')).toEqual([{ ...run, result: 'answered', value: 1 }]);
    expect(await seen.units()).toMatchObject({
      'fullstop.run.started': '{run}',
      'fullstop.run.duration': 's',
      'fullstop.run.tokens': '{token}',
      'fullstop.run.cost': 'USD',
      'fullstop.gate.wait': 's',
    });
  });

  it('report the type of a run, or the one they were given', async () => {
    const seen = observed({ runtimes: { told: 'workflow' } });
    const engine = instrument(memoryEngine(), seen.telemetry);
    const body = async () => terminations.naturalEnd();
    await defineRun({ name: 'plain', run: body }).run(undefined, { engine });
    await defineRun({ name: 'told', run: body }).run(undefined, { engine });
    await defineRun({ name: 'constructor', run: body }).run(undefined, { engine });
    await pipeline('flow')
      .stage('a', () => 1)
      .run(undefined, { engine });
    const text =
      'workflow: {name: file, entry_point: a}\nagents: [{name: a, type: set, value: "1", routes: [{to: $end}]}]';
    await loadWorkflow('file.yaml', { text }).run({}, { engine });
    await defineConvergence({ name: 'facts', suggestors: [] }).run(undefined, { engine });
    await defineAgent({
      name: 'agent',
      model: scriptedModel([{ text: 'x' }]),
      hooks: { beforeIteration: () => undefined },
    }).run('go', { engine });
    const runtimes = (await seen.points('fullstop.run.started')).map(({ name, runtime }) => [name, runtime]);
    expect(runtimes).toEqual([
      ['plain', 'run'],
      ['told', 'workflow'],
      ['constructor', 'run'],
      ['flow', 'pipeline'],
      ['file', 'workflow'],
      ['facts', 'convergence'],
      ['agent', 'agent'],
    ]);
  });

  it('cover runs that workers execute, on a real store', async () => {
    const seen = observed();
    const engine = instrument(openEngine(), seen.telemetry);
    const flow = pipeline('flow').stage('a', () => 1);
    const worker = engine.worker([flow]);
    await engine.start({ runId: 'r', name: 'flow', version: '1' });
    await engine.waitForEnding('r', 1);
    await worker.stop();
    expect(await seen.points('pipeline.stage.completed')).toMatchObject([{ stage_name: 'a', value: 1 }]);
    expect(await seen.points('fullstop.run.ended')).toMatchObject([{ name: 'flow', termination: 'flow_completed' }]);
    expect((await engine.verify('r')).status).not.toBe('broken');
    expect(seen.openSpans()).toEqual([]);
  });
});

describe('off', () => {
  it('is the very same engine and asks no provider for anything: no call, no wrapper, nothing on the path', async () => {
    const asked = (): never => {
      throw new Error('a provider was asked');
    };
    const telemetry = createTelemetry({
      enabled: false,
      meterProvider: { getMeter: asked },
      tracerProvider: { getTracer: asked },
    });
    const engine = memoryEngine();
    expect(instrument(engine, telemetry)).toBe(engine);
    const result = await pipeline('flow')
      .stage('a', () => 1)
      .run(undefined, { engine });
    projectJournal(await result.journal(), telemetry);
    telemetry.shutdown();
    expect(telemetry.lastSegment(result.runId)).toBeUndefined();
  });
});

describe('a fault of telemetry', () => {
  it('is never one of the run', async () => {
    const broken = (): never => {
      throw new Error('the exporter is broken');
    };
    const instrumentOf = () => ({
      add: broken,
      record: broken,
      addCallback: () => undefined,
      removeCallback: () => undefined,
    });
    const meter = {
      createHistogram: instrumentOf,
      createObservableCounter: instrumentOf,
      createObservableUpDownCounter: instrumentOf,
      createObservableGauge: instrumentOf,
      addBatchObservableCallback: () => undefined,
    };
    const telemetry = createTelemetry({
      meterProvider: { getMeter: () => meter as unknown as Meter },
      tracerProvider: { getTracer: () => ({ startSpan: broken, startActiveSpan: broken }) },
    });
    const engine = instrument(memoryEngine(), telemetry);
    const result = await pipeline('flow')
      .stage('a', () => 1)
      .run(undefined, { engine });
    telemetry.flush();
    telemetry.shutdown();
    expect(result).toMatchObject({ outcome: 'succeeded', output: 1, persisted: true });
  });
});

describe('replay', () => {
  it('emits nothing again: a body that is dropped at every await gives the same numbers and as many spans', async () => {
    const numbers = async (alwaysReplay: boolean) => {
      const seen = observed();
      const flow = pipeline('flow')
        .stage('a', async (_, { context }) => {
          await context.step('x', ({ charge }) => charge({ outputTokens: 7 }));
          return 1;
        })
        .phase('p', (phase) => phase.stage('b', () => 2, { onCompleted: () => undefined }));
      await flow.run(undefined, {
        engine: instrument(memoryEngine({ clock: simulatedClock() }), seen.telemetry),
        alwaysReplay,
      });
      const points = await Promise.all(
        [
          'pipeline.run.started',
          'pipeline.stage.completed',
          'pipeline.stage.tokens',
          'fullstop.run.ended',
          'fullstop.run.tokens',
        ].map((name) => seen.points(name)),
      );
      return {
        points,
        spans: seen
          .spans()
          .map(({ name }) => name)
          .sort(),
        open: seen.openSpans(),
      };
    };
    const [plain, replayed] = [await numbers(false), await numbers(true)];
    expect(replayed).toEqual(plain);
    expect(plain.open).toEqual([]);
  });
});
