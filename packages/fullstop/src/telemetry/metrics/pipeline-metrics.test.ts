import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { using } from '../../pipeline/perform/using.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { blocked } from '../../pipeline/runnable.fixture.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { instrument } from '../instrument.js';
import { observed } from '../providers.fixture.js';

const usage = { inputTokens: 30, outputTokens: 12, cachedInputTokens: 20, reasoningTokens: 5 };

function flow() {
  const agent = defineAgent({
    name: 'searcher',
    model: scriptedModel([
      {
        toolCalls: [
          { tool: 'search', input: {} },
          { tool: 'invented_4711', input: {} },
        ],
        usage,
      },
      { text: 'found', usage },
    ]),
    tools: {
      search: {
        inputSchema: { type: 'object' },
        execute: () => {
          throw new Error('down');
        },
      },
    },
    stopWhen: [maxIterations(5)],
  });
  return pipeline('month-end', { customTags: ['quiet'] })
    .stage('collect', async (_, { context }) => {
      await context.sleep('nap', 2000);
      return 1;
    })
    .phase('work', (phase) =>
      phase.stage(
        'find',
        using(agent, () => 'go'),
      ),
    )
    .stage('optional', () => 1, { skip: () => 'not today' })
    .stage('tagged', () => 1, {
      onCompleted: () => terminations.custom({ reason: 'order 4711', category: 'success', tag: 'quiet' }),
    })
    .stage(
      'broken',
      (): number => {
        throw new Error('no');
      },
      { disposition: 'advisory' },
    );
}

const run = async (options = {}) => {
  const seen = observed(options);
  const clock = simulatedClock();
  await flow().run(undefined, { engine: instrument(memoryEngine({ clock }), seen.telemetry) });
  return seen;
};

describe('the seven pipeline instruments', () => {
  it('have exactly the names, units and keys that dashboards ask for', async () => {
    const seen = await run();
    const units = await seen.units();
    expect(Object.fromEntries(Object.entries(units).filter(([name]) => name.startsWith('pipeline.')))).toEqual({
      'pipeline.run.started': '',
      'pipeline.run.completed': '',
      'pipeline.run.duration': 's',
      'pipeline.stage.completed': '',
      'pipeline.stage.duration': 's',
      'pipeline.stage.tokens': '',
      'pipeline.stage.tool.failed': '',
    });
    expect(await seen.points('pipeline.run.started')).toEqual([{ pipeline_name: 'month-end', value: 1 }]);
    expect(await seen.points('pipeline.run.completed')).toEqual([
      { pipeline_name: 'month-end', outcome: 'succeeded', value: 1 },
    ]);
    expect(await seen.points('pipeline.run.duration')).toEqual([
      { pipeline_name: 'month-end', outcome: 'succeeded', value: 1 },
    ]);
  });

  it('count stages by outcome and cause; a skipped one has no duration', async () => {
    const seen = await run();
    const stage = (stage_name: string, outcome: string, termination_cause: string, phase_name = '(none)') => ({
      pipeline_name: 'month-end',
      stage_name,
      outcome,
      termination_cause,
      phase_name,
      value: 1,
    });
    expect(await seen.points('pipeline.stage.completed')).toEqual([
      stage('collect', 'succeeded', 'flow_completed'),
      stage('find', 'succeeded', 'natural_end', 'work'),
      stage('optional', 'skipped', 'skipped'),
      stage('tagged', 'succeeded', 'quiet'),
      stage('broken', 'failed', 'failed'),
    ]);
    const durations = await seen.points('pipeline.stage.duration');
    expect(durations.map(({ stage_name }) => stage_name)).toEqual(['collect', 'find', 'tagged', 'broken']);
    expect(Object.keys(durations[0] ?? {}).sort()).toEqual([
      'outcome',
      'phase_name',
      'pipeline_name',
      'stage_name',
      'value',
    ]);
  });

  it('time a stage without the person that it waited for, over segments and in one', async () => {
    for (const onPause of ['end', 'wait'] as const) {
      const clock = simulatedClock();
      const seen = observed();
      const engine = instrument(memoryEngine({ clock }), seen.telemetry);
      const asking = pipeline('p').stage('ask', async (_, { context }) => {
        await context.step('before', () => clock.sleep(3000));
        await context.wait({ id: 'ok', type: 'input' });
        await context.step('after', () => clock.sleep(2000));
      });
      const running = asking.run(undefined, { engine, runId: 'r', onPause });
      while ((await engine.openRequests('r').catch(() => [])).length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      if (onPause === 'end') await running;
      await clock.advance(3_600_000);
      const answer = { decision: 'value' } as const;
      if (onPause === 'wait') await engine.answer('r', 'ok', answer);
      await (onPause === 'wait' ? running : asking.resume('r', { engine, answers: { ok: answer } }));
      expect([onPause, await seen.sums('pipeline.stage.duration')]).toEqual([onPause, [5]]);
    }
  });

  it('count tokens by kind, and failed calls by tool, where invented names are unknown', async () => {
    const seen = await run();
    const tokens = (token_kind: string, value: number) => ({
      pipeline_name: 'month-end',
      stage_name: 'find',
      token_kind,
      value,
    });
    expect(await seen.points('pipeline.stage.tokens')).toEqual([
      tokens('input', 60),
      tokens('output', 24),
      tokens('cached_input', 40),
      tokens('reasoning', 10),
    ]);
    const failed = await seen.points('pipeline.stage.tool.failed');
    expect(
      [...failed].sort((left, right) => String(left['tool_name']).localeCompare(String(right['tool_name']))),
    ).toEqual([
      { pipeline_name: 'month-end', stage_name: 'find', tool_name: 'search', value: 1 },
      { pipeline_name: 'month-end', stage_name: 'find', tool_name: 'unknown', value: 1 },
    ]);
  });

  it('speak Needlr’s words when they are asked to', async () => {
    const seen = await run({ dialect: 'needlr' });
    const stages = await seen.points('pipeline.stage.completed');
    expect(stages.map(({ outcome, termination_cause }) => [outcome, termination_cause])).toEqual([
      ['Succeeded', 'Custom'],
      ['Succeeded', 'NaturalCompletion'],
      ['Skipped', 'Skipped'],
      ['Succeeded', 'quiet'],
      ['Failed', 'Failed'],
    ]);
    expect(await seen.points('pipeline.run.completed')).toMatchObject([{ outcome: 'Succeeded' }]);
  });

  it('leave third parties their own word in Needlr’s words too, as Needlr does', async () => {
    const seen = observed({ dialect: 'needlr' });
    await pipeline('p', { terminations: [blocked] })
      .stage('a', () => 1, { onCompleted: () => blocked({ by: 'x' }) })
      .stage('b', () => 1, { onCompleted: () => terminations.criteriaUnmet({ criteria: ['x'] }) })
      .run(undefined, { engine: instrument(memoryEngine(), seen.telemetry) });
    const stages = await seen.points('pipeline.stage.completed');
    expect(stages.map(({ termination_cause }) => termination_cause)).toEqual(['blocked', 'Custom']);
  });

  it('19. a skipped stage is only in stage.completed; unlike in Needlr it has a span, which says that it was skipped', async () => {
    const seen = await run();
    for (const name of ['pipeline.stage.duration', 'pipeline.stage.tokens', 'pipeline.stage.tool.failed']) {
      expect((await seen.points(name)).filter(({ stage_name }) => stage_name === 'optional')).toEqual([]);
    }
    const span = seen.spans().find(({ attributes }) => attributes['fullstop.unit'] === 'optional');
    expect(span?.attributes).toMatchObject({ 'fullstop.outcome': 'skipped', 'fullstop.termination': 'skipped' });
  });

  it('count a pipeline that waits for someone when it is through, and not when it pauses', async () => {
    const seen = observed();
    const engine = instrument(memoryEngine(), seen.telemetry);
    const flow = pipeline('asking').stage(
      'ask',
      async (_, { context }) => (await context.wait({ id: 'q', type: 'input' })).value ?? null,
    );
    const paused = await flow.run(undefined, { engine });
    expect(await seen.points('pipeline.run.completed')).toEqual([]);
    await paused.resume({ answers: { q: { decision: 'value', value: 1 } } });
    expect(await seen.points('pipeline.run.completed')).toEqual([
      { pipeline_name: 'asking', outcome: 'succeeded', value: 1 },
    ]);
    expect(await seen.points('pipeline.run.started')).toEqual([{ pipeline_name: 'asking', value: 1 }]);
    expect(await seen.points('pipeline.stage.completed')).toMatchObject([{ stage_name: 'ask', value: 1 }]);
  });

  it('count nested pipelines, and stages that were stopped from outside', async () => {
    const seen = observed();
    const inner = pipeline('inner').stage('hangs', (_, { context }) => context.sleep('long', 1e6));
    const outer = pipeline('outer', { limits: { timeMs: 1000 } }).stage(
      'nested',
      using(inner, () => undefined),
    );
    await outer.run(undefined, { engine: instrument(memoryEngine({ clock: simulatedClock() }), seen.telemetry) });
    expect(await seen.points('pipeline.run.completed')).toEqual([
      { pipeline_name: 'inner', outcome: 'cancelled', value: 1 },
      { pipeline_name: 'outer', outcome: 'failed', value: 1 },
    ]);
    expect(
      (await seen.points('pipeline.stage.completed')).map(({ pipeline_name, stage_name, termination_cause }) => [
        pipeline_name,
        stage_name,
        termination_cause,
      ]),
    ).toEqual([
      ['inner', 'hangs', 'cancelled'],
      ['outer', 'nested', 'cancelled'],
    ]);
  });
});
