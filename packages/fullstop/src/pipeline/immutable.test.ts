import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { terminations } from '../termination/terminations.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { ending } from './runnable.fixture.js';

const loop = ending({ termination: terminations.naturalEnd(), output: { list: [1] } });

interface Changeable {
  readonly collect: { output: { list: number[] }; termination: { kind: string } };
  readonly input: { list: number[] };
}

describe('what a stage sees', () => {
  it.each<[string, (done: Changeable) => unknown]>([
    ['an output', ({ collect }) => collect.output.list.push(2)],
    ['the place of an output', ({ collect }) => (collect.output = { list: [9] })],
    ['an ending', ({ collect }) => (collect.termination.kind = 'skipped')],
    ['the input', ({ input }) => input.list.push(2)],
    ['the place of a stage', (done) => ((done as { collect: unknown }).collect = undefined)],
  ])('cannot be changed by it: %s', async (_, change) => {
    for (const work of [() => ({ list: [1] }), using(loop, () => ({}))]) {
      const input = { list: [0] };
      const flow = pipeline('p')
        .accepting<{ list: number[] }>()
        .stage('collect', work)
        .stage('forge', (done) => void change(done as unknown as Changeable), { disposition: 'advisory' })
        .stage('read', ({ collect, input: seen }) => [...collect.output.list, ...seen.list]);
      const engine = memoryEngine();
      const result = await flow.run(input, { engine });
      expect(result.stage('forge').termination).toMatchObject({ kind: 'failed', error: { name: 'TypeError' } });
      expect(result.stage('collect')).toMatchObject({ output: { list: [1] }, outcome: 'succeeded' });
      expect(result.output).toEqual([1, 0]);
      expect(input).toEqual({ list: [0] });
    }
  });

  it('is what was returned at the time, and what was returned stays free', async () => {
    const findings = ['a'];
    const flow = pipeline('p')
      .stage('collect', () => findings)
      .stage('more', () => findings.push('b'))
      .stage('read', ({ collect }) => collect.output.length);
    const result = await flow.run();
    expect(result.output).toBe(1);
    expect(result.stage('collect').output).toEqual(['a']);
    expect(findings).toEqual(['a', 'b']);
  });

  it('is a copy for after and for the pipeline’s own treatAsSuccess', async () => {
    const change = (termination: object): boolean => {
      Object.assign(termination, { kind: 'natural_end' });
      return true;
    };
    const limit = terminations.maxIterations({ limit: 3, used: 3, unit: 'iteration' });
    const result = await pipeline('p', { treatAsSuccess: change })
      .stage(
        'a',
        using(ending({ termination: limit }), () => 1),
        { after: ({ termination }) => change(termination) },
      )
      .run();
    expect(result.stage('a')).toMatchObject({
      termination: { kind: 'failed', error: { name: 'TypeError' } },
      executor: { termination: limit },
      also: [limit],
    });
    expect(result).toMatchObject({ outcome: 'failed', termination: { kind: 'child_failed' } });
  });

  it('cannot be changed by the callbacks of the stage, nor in a phase, nor after a resume', async () => {
    const limit = terminations.maxIterations({ limit: 3, used: 3, unit: 'iteration' });
    const result = await pipeline('p')
      .stage(
        'work',
        using(ending({ termination: limit }), () => ({})),
        {
          treatAsSuccess: (termination) => {
            (termination as { limit?: number }).limit = 99;
            return true;
          },
          disposition: 'advisory',
        },
      )
      .run();
    expect(result.stage('work')).toMatchObject({ termination: { limit: 3 }, also: [{ kind: 'failed' }] });
    let broken = true;
    const first = await pipeline('p')
      .phase('group', (phase) => phase.stage('collect', () => ({ list: [1] })))
      .stage('later', ({ collect }) => {
        if (broken) throw new Error('broken');
        return collect.output.list.push(2);
      })
      .run();
    broken = false;
    const second = await first.resume();
    expect(second.stage('later').termination).toMatchObject({ kind: 'failed', error: { name: 'TypeError' } });
    expect(second.stage('collect').output).toEqual({ list: [1] });
  });
});
