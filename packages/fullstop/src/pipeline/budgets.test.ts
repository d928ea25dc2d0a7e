import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { rootCause } from '../termination/root-cause.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { loadWorkflow } from '../workflow/load-workflow.js';
import type { StageCall } from './options/stage-work.js';
import { continueOnFailure } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { untilAborted } from './runnable.fixture.js';

/** Uses tokens in steps of 10. */
async function uses(tokens: number, { context }: StageCall): Promise<number> {
  for (let used = 0; used < tokens; used += 10) {
    await context.step('call', ({ charge }) => charge({ outputTokens: 10, costUsd: 0.01 }));
  }
  return tokens;
}

describe('budgets nest', () => {
  it('a stage over its own budget ends as token_budget, and callbacks see that', async () => {
    const seen: unknown[] = [];
    const result = await pipeline('p')
      .stage('a', (_, stage) => uses(50, stage), {
        limits: { tokens: 30 },
        disposition: 'advisory',
        after: ({ outcome, termination }) => seen.push([outcome, termination.kind]),
      })
      .stage('b', (_, stage) => uses(20, stage))
      .run();
    expect(result.stage('a')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'token_budget', limit: 30, used: 30 },
    });
    expect(seen).toEqual([['failed', 'token_budget']]);
    expect(result).toMatchObject({ outcome: 'succeeded', usage: { totalTokens: 50 } });
    expect(result.stage('a').usage.totalTokens).toBe(30);
    expect(result.stage('b').costUsd).toBeCloseTo(0.02);
  });

  it('covers all attempts together', async () => {
    const result = await pipeline('p')
      .stage('a', (_, stage) => uses(20, stage), { limits: { tokens: 50 }, attempts: 9, validate: () => 'again' })
      .run();
    expect(rootCause(result.termination)).toEqual({ kind: 'token_budget', limit: 50, used: 50 });
    expect(result.stage('a').usage.totalTokens).toBe(50);
  });

  it('a stage budget needs no budget around it', async () => {
    const result = await pipeline('p')
      .stage('a', (_, stage) => uses(10, stage), { limits: { tokens: 100 } })
      .run();
    expect(result.outcome).toBe('succeeded');
  });

  it('a phase over its budget ends, its stage is cancelled by it, and a raised limit continues there', async () => {
    let begun = 0;
    const flow = pipeline('p')
      .phase(
        'one',
        (phase) =>
          phase
            .stage('a', (_, stage) => {
              begun += 1;
              return uses(20, stage);
            })
            .stage('b', (_, stage) => {
              begun += 1;
              return uses(20, stage);
            }),
        { limits: { tokens: 30 } },
      )
      .stage('c', () => 'c');
    const first = await flow.run();
    expect(first.termination).toEqual({
      kind: 'child_failed',
      child: { name: 'one', path: 'one' },
      termination: { kind: 'token_budget', limit: 30, used: 30 },
    });
    expect(first.stages.map(({ outcome, termination }) => [outcome, termination.kind])).toEqual([
      ['succeeded', 'flow_completed'],
      ['cancelled', 'cancelled'],
      ['skipped', 'skipped'],
    ]);
    expect(first.stage('b').termination).toMatchObject({ by: 'parent', cause: { kind: 'token_budget' } });
    await expect(first.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const second = await first.resume({ limits: { tokens: 100 } });
    expect(second).toMatchObject({ outcome: 'succeeded', output: 'c', usage: { totalTokens: 40 } });
    expect(begun).toBe(3);
  });

  it('the pipeline over its budget ends as that; a stage inside cannot have more than is left', async () => {
    const flow = pipeline('p', { limits: { costUsd: 0.03 } })
      .stage('a', (_, stage) => uses(20, stage))
      .stage('b', (_, stage) => uses(90, stage), { limits: { costUsd: 1 } })
      .stage('c', () => 'c');
    const first = await flow.run();
    expect(first.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.03 });
    expect(first.stage('b').termination).toMatchObject({ kind: 'cancelled', by: 'parent' });
    expect(first.stage('c').termination).toEqual({ kind: 'skipped', because: 'not_reached' });
    const second = await first.resume({ limits: { costUsd: 5 } });
    expect(second.output).toBe('c');
    expect(second.usage.totalTokens).toBe(110);
  });

  it('time: a stage that hangs ends as time_budget and the pipeline continues if it is advisory', async () => {
    const engine = memoryEngine({ clock: simulatedClock() });
    const result = await pipeline('p', { limits: { timeMs: 60_000 } })
      .stage('hangs', (_, stage) => untilAborted(stage), { limits: { timeMs: 5000 }, disposition: 'advisory' })
      .stage('next', () => 'next')
      .run(undefined, { engine });
    expect(result.stage('hangs')).toMatchObject({
      termination: { kind: 'time_budget', limitMs: 5000, scope: 'stage' },
      durationMs: 5000,
    });
    expect(result.output).toBe('next');
  });

  it('a pipeline or a workflow inside a stage keeps to its own limits, which a resume may raise', async () => {
    const clock = simulatedClock();
    const text = `
workflow: {name: napping, entry_point: nap, limits: {timeout_seconds: 1}}
agents: [{name: nap, type: wait, duration: 3s}]
output: {v: slept}`;
    const napping = loadWorkflow('napping.yaml', { text });
    const inner = pipeline('inner', { limits: { timeMs: 1000 } }).stage('nap', async (_, { context }) => {
      await context.sleep('nap', 3000);
      return { v: 'slept' };
    });
    for (const work of [using(inner, () => undefined), using(napping, () => ({}))]) {
      const first = await pipeline('p')
        .stage('a', continueOnFailure(work))
        .run(undefined, { engine: memoryEngine({ clock }) });
      expect(first.stage('a')).toMatchObject({
        outcome: 'failed',
        termination: { kind: 'time_budget', limitMs: 1000, scope: 'stage' },
      });
      const aborting = await pipeline('p')
        .stage('a', work)
        .run(undefined, { engine: memoryEngine({ clock }) });
      expect(await aborting.resume({ limits: { timeMs: 9000 } })).toMatchObject({ output: { v: 'slept' } });
    }
  });

  it('a step that a budget has no room for ends its stage as that budget', async () => {
    const asks = (_: unknown, { context }: StageCall): Promise<unknown> =>
      context.step('call', () => 1, { reserve: { outputTokens: 100 } });
    const own = await pipeline('p')
      .stage('a', asks, { limits: { tokens: 30 } })
      .run();
    expect(own.stage('a')).toMatchObject({ category: 'capacity', termination: { kind: 'token_budget', limit: 30 } });
    const shared = await pipeline('p', { limits: { tokens: 30 } })
      .stage('a', asks)
      .run();
    expect(shared.termination).toMatchObject({ kind: 'token_budget', limit: 30 });
    expect(shared.stage('a').termination).toMatchObject({ kind: 'cancelled', by: 'parent' });
  });

  it('a goal that was reached is never reported as a limit', async () => {
    const result = await pipeline('p', { limits: { tokens: 20 } })
      .stage('a', (_, stage) => uses(20, stage))
      .run();
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'a' });
  });
});

describe('cancelling', () => {
  it('gives all results so far; the stage under way is cancelled', async () => {
    const stop = new AbortController();
    const flow = pipeline('p')
      .stage('a', () => 'kept')
      .phase('one', (phase) =>
        phase.stage('b', (_, stage) => {
          setTimeout(() => stop.abort('enough'), 1);
          return untilAborted(stage);
        }),
      )
      .stage('c', () => 'c');
    const engine = memoryEngine();
    const result = await flow.run(undefined, { signal: stop.signal, engine, runId: 'r' });
    expect(result.termination).toEqual({ kind: 'cancelled', by: 'caller', reason: 'enough' });
    expect(result.stages.map(({ name, outcome, termination }) => [name, outcome, termination.kind])).toEqual([
      ['a', 'succeeded', 'flow_completed'],
      ['b', 'cancelled', 'cancelled'],
      ['c', 'skipped', 'skipped'],
    ]);
    expect(result.stage('a').output).toBe('kept');
    expect((await flow.result('r', { engine }))?.stages).toEqual(result.stages);
  });

  it('before the start runs nothing', async () => {
    let ran = false;
    const flow = pipeline('p').stage('a', () => {
      ran = true;
    });
    const result = await flow.run(undefined, { signal: AbortSignal.abort('no') });
    expect(result.termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
    expect([ran, result.stage('a').termination]).toEqual([false, { kind: 'skipped', because: 'not_reached' }]);
  });

  it('a cancelled pipeline can be resumed at the stage under way', async () => {
    const stop = new AbortController();
    let [firsts, seconds] = [0, 0];
    const flow = pipeline('p')
      .stage('a', () => {
        firsts += 1;
        return firsts;
      })
      .stage('b', (_, stage) => {
        seconds += 1;
        if (seconds > 1) return 'b';
        setTimeout(() => stop.abort(), 1);
        return untilAborted(stage);
      });
    const first = await flow.run(undefined, { signal: stop.signal });
    const second = await first.resume();
    expect(second).toMatchObject({ outcome: 'succeeded', output: 'b' });
    expect([firsts, seconds]).toEqual([1, 2]);
  });
});

describe('the time of stages', () => {
  it('leaves out a person in whose way nobody worked, whether the run ends meanwhile or stays', async () => {
    for (const onPause of ['end', 'wait'] as const) {
      const clock = simulatedClock();
      const engine = memoryEngine({ clock });
      const flow = pipeline('p').stage('ask', async (_, { context }) => {
        await context.step('before', () => clock.sleep(300));
        await context.wait({ id: 'ok', type: 'input' });
        await context.step('after', () => clock.sleep(200));
      });
      const running = flow.run(undefined, { engine, runId: 'r', onPause });
      while ((await engine.openRequests('r').catch(() => [])).length === 0)
        await new Promise((resolve) => setImmediate(resolve));
      if (onPause === 'end') await running;
      await clock.advance(3_600_000);
      const answer = { decision: 'value' } as const;
      if (onPause === 'wait') await engine.answer('r', 'ok', answer);
      const result = await (onPause === 'wait' ? running : flow.resume('r', { engine, answers: { ok: answer } }));
      expect([result.durationMs, result.stage('ask').durationMs]).toEqual([500, 500]);
    }
  });
});
