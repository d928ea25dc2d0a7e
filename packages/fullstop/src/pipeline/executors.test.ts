import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineConvergence } from '../convergence/define-convergence.js';
import { suggestor } from '../convergence/options/suggestor.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { loadWorkflow } from '../workflow/load-workflow.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';

const counter = suggestor('counter', {
  accepts: ({ facts }) => facts.size < 3,
  execute: ({ facts, propose }) => propose('count', { n: facts.size }, { id: `c${facts.size}` }),
});

const file = (reason: string, status: string): string => `
workflow: {name: triage, entry_point: price, input: {amount: {type: number, required: true}}}
agents:
  - {name: price, type: set, value: "{{ workflow.input.amount * 2 }}", routes: [{to: stop, when: "{{ workflow.input.amount > 10 }}"}, {to: $end}]}
  - {name: stop, type: terminate, status: ${status}, reason: ${reason}}
output: {doubled: "{{ price.output }}"}
`;

describe('a custom unit that returns no ending', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['5', 5],
    ['an object', terminations.naturalEnd()],
  ])('fails the stage, which says what it gave: %s', async (word, given) => {
    const own = { name: 'own', kinds: [], within: async () => given as never };
    const result = await pipeline('p')
      .stage(
        'a',
        using(own, () => 1),
      )
      .run();
    expect(result.stage('a').termination).toMatchObject({
      kind: 'failed',
      origin: 'stage',
      error: {
        code: 'INVALID_RESULT',
        message: `within of own returned ${word}; it must return { termination, output? }.`,
      },
    });
  });
});

describe('what else can be the work of a stage', () => {
  it('a convergence, with its own ending and output', async () => {
    const counting = defineConvergence({ name: 'counting', suggestors: [counter] });
    const result = await pipeline('p')
      .stage(
        'count',
        using(counting, () => undefined),
      )
      .run();
    expect(result.stage('count')).toMatchObject({
      outcome: 'succeeded',
      termination: { kind: 'converged', facts: 3 },
      executor: { name: 'counting' },
    });
  });

  it('a pipeline, whose schema its input has to fit', async () => {
    const schema = z.object({ month: z.string().transform((month) => month.trim()) });
    const inner = pipeline('inner', { input: schema }).stage('month', ({ input }) => input.month);
    const flow = pipeline('p')
      .accepting<unknown>()
      .stage(
        'inner',
        using(inner, ({ input }) => input as { month: string }),
      );
    expect((await flow.run({ month: ' May ' }, { alwaysReplay: true })).output).toBe('May');
    expect((await flow.run({ month: 5 })).stage('inner').termination).toMatchObject({
      kind: 'failed',
      errorClass: 'configuration',
      error: {
        code: 'INVALID_OPTION',
        message: expect.stringContaining('The input of the pipeline inner does not fit: month'),
      },
    });
  });

  it('a workflow file, with its own ending and output', async () => {
    const triage = loadWorkflow('triage.yaml', { text: file('too much', 'failed') });
    const flow = pipeline('p')
      .accepting<number>()
      .stage(
        'triage',
        using(triage, ({ input }) => ({ amount: input })),
      )
      .stage('after', ({ triage: { output } }) => output);
    const good = await flow.run(4, { alwaysReplay: true });
    expect(good).toMatchObject({ outcome: 'succeeded', output: { doubled: 8 } });
    const bad = await flow.run(40, { engine: memoryEngine() });
    expect(bad.stage('triage')).toMatchObject({ outcome: 'failed', executor: { name: 'triage' } });
    expect(rootCause(bad.termination)).toMatchObject({ kind: 'terminated', status: 'failed', reason: 'too much' });
  });

  it('something of one’s own, with any ending', async () => {
    const own = {
      name: 'own',
      kinds: ['skipped', 'halted'],
      within: async (_: unknown, quiet: boolean) =>
        quiet
          ? { termination: terminations.skipped({ reason: 'nothing new' }) }
          : { termination: terminations.halted({ by: { type: 'tool', name: 'brake' }, reason: 'stop' }) },
    };
    const flow = pipeline('p')
      .accepting<boolean>()
      .stage(
        'own',
        using(own, ({ input }) => input),
      );
    expect((await flow.run(true)).stage('own')).toMatchObject({
      outcome: 'skipped',
      termination: { kind: 'skipped', reason: 'nothing new' },
    });
    expect((await flow.run(false)).stage('own')).toMatchObject({ outcome: 'failed', termination: { kind: 'halted' } });
  });

  it('what throws is failed with origin stage', async () => {
    const broken = {
      name: 'broken',
      kinds: [],
      within: async (): Promise<never> => {
        throw new TypeError('no');
      },
    };
    const thrown = await pipeline('p')
      .stage(
        'a',
        using(broken, () => 1),
      )
      .run();
    expect(thrown.stage('a').termination).toMatchObject({
      kind: 'failed',
      origin: 'stage',
      error: { name: 'TypeError' },
    });
  });

  it('an input function that throws fails the stage, and a resume asks it again', async () => {
    let ready = false;
    const echo = {
      name: 'echo',
      kinds: ['natural_end'],
      within: async (_: unknown, output: string) => ({ termination: terminations.naturalEnd(), output }),
    };
    const input = (): string => {
      if (!ready) throw new RangeError('input');
      return 'ready';
    };
    const first = await pipeline('p').stage('a', using(echo, input)).run();
    expect(first.stage('a').termination).toMatchObject({
      kind: 'failed',
      origin: 'step',
      error: { name: 'RangeError' },
    });
    ready = true;
    expect((await first.resume()).output).toBe('ready');
  });
});
