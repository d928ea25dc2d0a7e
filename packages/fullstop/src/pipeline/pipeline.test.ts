import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { ending } from './runnable.fixture.js';

describe('a pipeline', () => {
  it('runs its stages in order, each with the results of those before it', async () => {
    const report = pipeline('report', { input: z.object({ month: z.string() }) })
      .stage('collect', ({ input }) => [`${input.month}-1`, `${input.month}-2`])
      .stage('count', ({ collect }) => collect.output.length)
      .stage('write', ({ input, collect, count }) => `${input.month}: ${count.output} of ${collect.output.join(', ')}`);
    const result = await report.run({ month: 'May' });
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'write' });
    expect(result.output).toBe('May: 2 of May-1, May-2');
    expect(result.stages.map(({ name, outcome, tag }) => [name, outcome, tag])).toEqual([
      ['collect', 'succeeded', 'flow_completed'],
      ['count', 'succeeded', 'flow_completed'],
      ['write', 'succeeded', 'flow_completed'],
    ]);
    expect(result.stage('count').output).toBe(2);
    expect(report.stageNames).toEqual(['collect', 'count', 'write']);
  });

  it('without stages is through at once', async () => {
    const result = await pipeline('empty').run();
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'empty' });
    expect(result.stages).toEqual([]);
  });

  it('ends as child_failed with the whole ending of the stage, and lists stages that were not reached', async () => {
    const result = await pipeline('p')
      .stage('first', () => 1)
      .stage(
        'loop',
        using(ending({ termination: terminations.agentRefused({ agentId: 'a', reason: 'no', by: 'model' }) }), () => 1),
      )
      .stage('last', () => 2)
      .run();
    expect(result.termination).toEqual({
      kind: 'child_failed',
      child: { name: 'loop', path: 'loop' },
      termination: { kind: 'agent_refused', agentId: 'a', reason: 'no', by: 'model' },
    });
    expect(result).toMatchObject({ outcome: 'failed', category: 'fatal' });
    expect(result.output).toBeUndefined();
    expect(result.stages.map(({ name, outcome, termination }) => [name, outcome, termination.kind])).toEqual([
      ['first', 'succeeded', 'flow_completed'],
      ['loop', 'failed', 'agent_refused'],
      ['last', 'skipped', 'skipped'],
    ]);
    expect(result.stage('last')).toMatchObject({ termination: { because: 'not_reached' }, attempts: 0 });
    expect(result.stage('last').executor).toBeUndefined();
  });

  it('never journals the stages that were not reached', async () => {
    const result = await pipeline('p')
      .stage('bad', (): number => {
        throw new Error('no');
      })
      .stage('later', () => 2)
      .run();
    expect(result.stage('later').termination).toEqual({ kind: 'skipped', because: 'not_reached' });
    expect(JSON.stringify(await result.journal())).not.toMatch(/not_reached|later/);
  });

  it('returns the same result from the store, in any process', async () => {
    const engine = memoryEngine();
    const flow = pipeline('p')
      .stage('one', () => 1)
      .phase('two', (phase) => phase.stage('three', () => 3).stage('four', ({ three }) => three.output + 1))
      .stage(
        'five',
        using(ending({ termination: terminations.naturalEnd(), output: 'x' }), () => 1),
        {
          onCompleted: () => terminations.custom({ reason: 'done', category: 'success' }),
        },
      );
    const first = await flow.run(undefined, { engine, runId: 'r' });
    const again = await flow.result('r', { engine });
    expect(again?.stages).toEqual(first.stages);
    expect(again?.stages.map(({ phase }) => phase)).toEqual([undefined, 'two', 'two', undefined]);
    expect(await flow.result('other', { engine })).toBeUndefined();
  });

  it('is a stage of another pipeline, with its own ending', async () => {
    const inner = pipeline('inner')
      .accepting<number>()
      .stage('double', ({ input }) => input * 2)
      .stage('check', ({ double }) => {
        if (double.output > 10) throw new RangeError('too much');
        return double.output;
      });
    const outer = pipeline('outer')
      .accepting<number>()
      .stage(
        'nested',
        using(inner, ({ input }) => input),
      )
      .stage('after', ({ nested }) => nested.output + 1);
    expect((await outer.run(4)).output).toBe(9);
    const failed = await outer.run(6);
    expect(failed.termination).toMatchObject({
      kind: 'child_failed',
      child: { path: 'nested' },
      termination: { kind: 'child_failed', child: { name: 'check', path: 'nested/check' } },
    });
    expect(rootCause(failed.termination)).toMatchObject({
      kind: 'failed',
      error: { name: 'RangeError' },
      origin: 'stage',
    });
    expect(failed.stage('nested')).toMatchObject({ outcome: 'failed', termination: { kind: 'child_failed' } });
  });

  it('ends a stage whose output is no JSON as failed, with the path', async () => {
    const result = await pipeline('p')
      .stage('map', () => ({ inside: new Map() }))
      .run();
    expect(result.stage('map').termination).toMatchObject({
      kind: 'failed',
      origin: 'stage',
      error: { code: 'NOT_JSON' },
    });
  });

  it('lets a stage do steps, wait and charge through its context', async () => {
    const flow = pipeline('p').stage('work', async (_, { context }) => {
      const tokens = await context.step('call', ({ charge }) => {
        charge({ inputTokens: 30, outputTokens: 12, costUsd: 0.5 });
        return 42;
      });
      const { value } = await context.wait({ id: 'ok', type: 'input' });
      return `${tokens} ${String(value)}`;
    });
    const paused = await flow.run();
    expect(paused.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'ok', path: 'work' }] });
    expect(paused.stage('work')).toMatchObject({ outcome: 'paused', termination: { kind: 'interaction_pending' } });
    const done = await paused.resume({ answers: { ok: { decision: 'value', value: 'yes' } } });
    expect(done.stage('work')).toMatchObject({
      output: '42 yes',
      usage: { inputTokens: 30, outputTokens: 12, totalTokens: 42 },
      costUsd: 0.5,
    });
  });
});

describe('phases', () => {
  it('call back before their first skip and after their last stage, also when a stage failed', async () => {
    const calls: string[] = [];
    const result = await pipeline('p')
      .stage('zero', () => 0)
      .phase(
        'one',
        (phase) =>
          phase
            .stage('a', () => 1, { skip: () => (calls.push('skip') > 0 ? 'no need' : false) })
            .stage('b', ({ zero }): number => {
              throw new Error(`b ${zero.output}`);
            }),
        { before: ({ zero }) => calls.push(`before ${zero.output}`), after: () => calls.push('after') },
      )
      .stage('c', () => 3)
      .run();
    expect(calls).toEqual(['before 0', 'skip', 'after']);
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      child: { name: 'one', path: 'one' },
      termination: { kind: 'child_failed', child: { name: 'b', path: 'one/b' } },
    });
    expect(result.stages.map(({ outcome }) => outcome)).toEqual(['succeeded', 'skipped', 'failed', 'skipped']);
  });

  it('whose before callback throws run no stage, and a resume asks it again', async () => {
    let ready = false;
    const flow = pipeline('p').phase('one', (phase) => phase.stage('a', () => 1), {
      before: () => {
        if (!ready) throw new Error('not ready');
      },
    });
    const first = await flow.run();
    expect(first.termination).toMatchObject({
      kind: 'child_failed',
      child: { path: 'one' },
      termination: { kind: 'failed', origin: 'stage', error: { message: 'not ready' } },
    });
    expect(first.stage('a').termination).toEqual({ kind: 'skipped', because: 'not_reached' });
    ready = true;
    const second = await first.resume();
    expect(second.termination).toEqual({ kind: 'flow_completed', last: 'one' });
    expect(second.stage('a').output).toBe(1);
  });

  it('whose after callback throws fail, with the failure of a stage in front', async () => {
    const broken = {
      after: (): never => {
        throw new Error('after');
      },
    };
    const alone = await pipeline('p')
      .phase('one', (phase) => phase.stage('a', () => 1), broken)
      .run();
    expect(rootCause(alone.termination)).toMatchObject({ kind: 'failed', error: { message: 'after' } });
    const both = await pipeline('p')
      .phase(
        'one',
        (phase) =>
          phase.stage('a', (): number => {
            throw new Error('stage');
          }),
        broken,
      )
      .run();
    expect(rootCause(both.termination)).toMatchObject({ kind: 'failed', error: { message: 'stage' } });
    const ended = (await both.journal()).find((entry) => entry.type === 'unit_ended' && entry.key === 'one');
    expect(ended?.data).toMatchObject({ also: [{ kind: 'failed', error: { message: 'after' } }] });
  });

  it('may be empty, and may share a name', async () => {
    const result = await pipeline('p')
      .phase('same', (phase) => phase)
      .phase('same', (phase) => phase.stage('a', () => 1))
      .phase('same', (phase) => phase.stage('b', ({ a }) => a.output + 1))
      .run();
    expect(result.stages.map(({ name, output }) => [name, output])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    expect(result.output).toBe(2);
  });
});

describe('misuse is refused before anything runs', () => {
  const refused = (build: () => unknown): string => {
    try {
      build();
      return 'nothing was refused';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('for names, limits and attempts that cannot be meant', () => {
    const named = pipeline('p').stage('a', () => 1);
    expect(refused(() => named.stage('a' as never, () => 2))).toBe('INVALID_OPTION');
    expect(refused(() => named.phase('a', (phase) => phase))).toBe('INVALID_OPTION');
    expect(refused(() => named.phase('x', (phase) => phase.stage('a' as never, () => 1)))).toBe('INVALID_OPTION');
    for (const name of ['', 'input', 'a/b', 'a#2', 'a~2']) {
      expect(refused(() => named.stage(name as 'b', () => 2))).toBe('INVALID_OPTION');
    }
    expect(refused(() => named.stage('b', () => 1, { limits: { tokens: 0 } }))).toBe('INVALID_LIMIT');
    expect(refused(() => named.phase('b', (phase) => phase, { limits: { timeMs: 0 } }))).toBe('INVALID_LIMIT');
    expect(refused(() => pipeline('p', { limits: { costUsd: -1 } }))).toBe('INVALID_LIMIT');
    expect(refused(() => named.stage('b', () => 1, { attempts: 0, validate: () => undefined }))).toBe('INVALID_LIMIT');
    expect(refused(() => named.stage('b', () => 1, { attempts: 2 }))).toBe('INVALID_OPTION');
  });

  it('for an executor that may end with a kind the pipeline does not know', () => {
    const foreign = {
      name: 'f',
      kinds: ['app.unknown'],
      within: async () => ({ termination: terminations.naturalEnd() }),
    };
    expect(
      refused(() =>
        pipeline('p').stage(
          'a',
          using(foreign, () => 1),
        ),
      ),
    ).toBe('UNREGISTERED_TERMINATION');
  });

  it('for input that does not fit', async () => {
    const flow = pipeline('p', { input: z.object({ n: z.number() }) }).stage('a', ({ input }) => input.n);
    await expect(flow.run({ n: 'x' as never })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      issues: [{ path: 'n' }],
    });
  });
});
