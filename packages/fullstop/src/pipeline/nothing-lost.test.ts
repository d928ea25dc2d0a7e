import { describe, expect, it } from 'vitest';
import { terminations } from '../termination/terminations.js';
import { fallback, retry } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { ending, withoutStack } from './runnable.fixture.js';

const capped = terminations.maxIterations({ limit: 3, used: 3, unit: 'iteration' });
const done = terminations.naturalEnd();

/** Throws as often as it is told, then gives what it is told. */
function throwing<T>(times: number, then: T): (() => T) & { readonly calls: () => number } {
  let calls = 0;
  const call = (): T => {
    calls += 1;
    if (calls <= times) throw new Error(`call ${calls}`);
    return then;
  };
  return Object.assign(call, { calls: () => calls });
}

describe('the result of the last stage is the output of a pipeline that fails there', () => {
  const work = () => {
    const ends = [
      { termination: done, output: 'whole' },
      { termination: capped, output: 'half' },
    ];
    const within = async () => ends.pop() ?? { termination: done };
    return using({ name: 'loop', kinds: ['max_iterations', 'natural_end'], within }, () => 1);
  };

  it('in a phase as well as outside of one, and a resume replaces it', async () => {
    const flat = await pipeline('p').stage('a', work()).run();
    const first = await pipeline('p')
      .phase('x', (phase) => phase.stage('before', () => 1).stage('a', work()))
      .run();
    expect([flat.output, first.output]).toEqual(['half', 'half']);
    expect(await first.resume()).toMatchObject({ outcome: 'succeeded', output: 'whole' });
  });

  it('stages after a phase that was resumed see each of its stages as it ended last', async () => {
    const seen: unknown[] = [];
    const first = await pipeline('p')
      .phase('x', (phase) => phase.stage('a', throwing(2, 'a')).stage('b', throwing(1, 'b')))
      .stage('c', (stages) => seen.push(Object.keys(stages), stages.a.outcome, stages.b.output))
      .run(undefined, { alwaysReplay: true });
    await (await (await first.resume()).resume()).resume();
    expect(seen).toEqual([['input', 'a', 'b'], 'succeeded', 'b']);
  });
});

describe('an ending that a decorator works on is kept next to the one that replaces it', () => {
  it('fallback: that of the work', async () => {
    const flow = pipeline('p').stage(
      'a',
      fallback(
        using(ending({ termination: capped }), () => 1),
        () => 'other',
      ),
    );
    const { outcome, termination, also } = (await flow.run()).stage('a');
    expect({ outcome, termination, also }).toEqual({
      outcome: 'succeeded',
      termination: { kind: 'flow_completed', last: 'a' },
      also: [capped],
    });
  });

  it('retry: those of the attempts before', async () => {
    const flow = pipeline('p').stage('a', retry(throwing(2, 1), { when: () => true }));
    const { outcome, also } = (await flow.run()).stage('a');
    expect(outcome).toBe('succeeded');
    expect(also.map(withoutStack)).toEqual(
      ['call 1', 'call 2'].map((message) => ({
        kind: 'failed',
        error: { name: 'Error', message },
        origin: 'stage',
        errorClass: 'unknown',
      })),
    );
  });

  it('what asks about it cannot change it', async () => {
    const change = (termination: object): boolean => {
      Object.assign(termination, { kind: 'natural_end' });
      return false;
    };
    for (const decorate of [retry, (work: never, options: object) => fallback(work, () => 'other', options)] as const) {
      const work = using(ending({ termination: { ...capped } }), () => 1);
      const { stages } = await pipeline('p')
        .stage('a', decorate(work as never, { when: change }))
        .run();
      expect(stages[0]).toMatchObject({ outcome: 'failed', executor: { termination: capped } });
    }
  });
});

describe('a callback that throws about work that has ended', () => {
  it.each<[string, number, (ask: () => boolean, work: never) => ReturnType<typeof retry>]>([
    ['when of fallback', 2, (when, work) => fallback(work, () => 'other', { when })],
    ['when of retry', 2, (when, work) => retry(work, { when })],
  ])(
    'fails the stage and loses neither ending nor output; a resume only asks again: %s',
    async (_, times, decorate) => {
      const asked = throwing(times, false);
      const loop = ending({ termination: capped, output: 'half' });
      const flow = pipeline('p').stage('a', decorate(asked, using(loop, () => 1) as never));
      const first = await flow.run();
      expect(first.stage('a')).toMatchObject({
        outcome: 'failed',
        termination: { kind: 'failed', origin: 'step', error: { message: 'call 1' } },
        executor: { name: 'loop', termination: capped },
        output: 'half',
      });
      const last = await (await first.resume()).resume();
      expect(last.stage('a')).toMatchObject({ outcome: 'failed', termination: capped, output: 'half' });
      expect([asked.calls(), loop.inputs.length]).toEqual([3, 1]);
    },
  );

  it('validate is such a callback too', async () => {
    const asked = throwing(1, undefined);
    const loop = ending({ termination: done, output: 'whole' });
    const flow = pipeline('p').stage(
      'a',
      using(loop, () => 1),
      { validate: asked },
    );
    const first = await flow.run();
    expect(first.stage('a')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'failed', origin: 'step', error: { message: 'call 1' } },
      executor: { name: 'loop', termination: done },
      output: 'whole',
    });
    expect((await first.resume()).stage('a')).toMatchObject({ outcome: 'succeeded', termination: done });
    expect(loop.inputs).toHaveLength(1);
  });
});

describe('the unit of work that was not accepted', () => {
  const refused = { kind: 'post_validation_failed', attempts: 1, reason: 'no' };
  const flow = (options: object) => pipeline('p').stage('a', () => 1, { validate: () => 'no', ...options });

  it('is named with the ending that it has', async () => {
    expect((await flow({}).run()).termination).toEqual({
      kind: 'child_failed',
      child: { name: 'a', path: 'a/run' },
      termination: refused,
    });
  });

  it('also when the stage ends otherwise', async () => {
    const custom = terminations.custom({ reason: 'r', category: 'fatal' });
    expect((await flow({ onCompleted: () => custom }).run()).termination).toEqual({
      kind: 'child_failed',
      child: { name: 'a', path: 'a/run' },
      termination: custom,
    });
  });
});

describe('work that never began', () => {
  const fail = (): never => {
    throw new Error('no');
  };

  it.each([
    ['it was skipped', { skip: () => 'why' }],
    ['skip threw', { skip: fail }],
    ['before threw', { before: fail }],
  ])('has no ending and no attempts: %s', async (_, options) => {
    const { stages } = await pipeline('p')
      .stage('a', () => 1, options)
      .run();
    expect(stages[0]?.attempts).toBe(0);
    expect(stages[0]?.executor).toBeUndefined();
  });

  it('has both once it began, after a resume too', async () => {
    const first = await pipeline('p')
      .stage('a', () => 1, { before: throwing(1, undefined) })
      .run();
    expect((await first.resume()).stage('a')).toMatchObject({
      attempts: 1,
      executor: { name: 'a', termination: { kind: 'flow_completed' } },
    });
  });
});
