import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { blocked, ending, reconciled, withoutStack } from './runnable.fixture.js';

const capped = terminations.maxIterations({ limit: 25, used: 25, unit: 'iteration' });

describe('skip', () => {
  it('ends the stage as skipped with the reason, without work and callbacks, and is journalled', async () => {
    let asked = 0;
    const flow = pipeline('p').stage(
      'a',
      (): number => {
        throw new Error('ran');
      },
      {
        skip: () => {
          asked += 1;
          return 'nothing to report';
        },
        before: () => {
          throw new Error('before');
        },
        after: () => {
          throw new Error('after');
        },
      },
    );
    const engine = memoryEngine();
    const result = await flow.run(undefined, { engine, alwaysReplay: true });
    expect(result.stage('a')).toMatchObject({
      outcome: 'skipped',
      termination: { kind: 'skipped', reason: 'nothing to report' },
    });
    expect(result.stage('a').executor).toBeUndefined();
    expect(result.outcome).toBe('succeeded');
    expect(asked).toBe(1);
  });

  it('runs the stage for false, undefined and null', async () => {
    for (const verdict of [false, undefined, null] as const) {
      const result = await pipeline('p')
        .stage('a', () => 1, { skip: () => verdict })
        .run();
      expect(result.output).toBe(1);
    }
  });

  it('that throws fails the stage, and a resume asks again', async () => {
    let ready = false;
    const flow = pipeline('p').stage('a', () => 1, {
      skip: () => {
        if (!ready) throw new Error('skip');
        return false;
      },
    });
    const first = await flow.run();
    expect(first.stage('a').termination).toMatchObject({ kind: 'failed', origin: 'step', error: { message: 'skip' } });
    ready = true;
    expect((await first.resume()).output).toBe(1);
  });
});

describe('validation', () => {
  it('gives its feedback to the next attempt, and attempts are counted', async () => {
    const seen: unknown[] = [];
    const flow = pipeline('p').stage(
      'draft',
      (_, { attempt, feedback }) => {
        seen.push([attempt, feedback]);
        return `draft ${attempt}`;
      },
      { attempts: 3, validate: ({ output }) => (output === 'draft 3' ? undefined : `not ${output}`) },
    );
    const result = await flow.run();
    expect(seen).toEqual([
      [1, undefined],
      [2, 'not draft 1'],
      [3, 'not draft 2'],
    ]);
    expect(result.stage('draft')).toMatchObject({ outcome: 'succeeded', output: 'draft 3', attempts: 3 });
  });

  it('that is never content is post_validation_failed, with the last output and the executor’s own ending', async () => {
    const loop = ending({ termination: terminations.naturalEnd(), output: 'x' });
    const flow = pipeline('p').stage(
      'draft',
      using(loop, (_, { feedback }) => feedback ?? 'first'),
      {
        attempts: 2,
        validate: () => 'still wrong',
      },
    );
    const result = await flow.run();
    expect(loop.inputs).toEqual(['first', 'still wrong']);
    expect(result.stage('draft')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'post_validation_failed', attempts: 2, reason: 'still wrong' },
      executor: { name: 'loop', termination: { kind: 'natural_end' } },
      output: 'x',
      attempts: 2,
    });
    expect(rootCause(result.termination)).toEqual({
      kind: 'post_validation_failed',
      attempts: 2,
      reason: 'still wrong',
    });
    const more = await result.resume();
    expect(more.stage('draft').termination).toMatchObject({ kind: 'post_validation_failed', attempts: 4 });
    expect(loop.inputs).toHaveLength(4);
  });

  it('is not asked about work that failed, and one that throws fails the stage', async () => {
    const failing = await pipeline('p')
      .stage(
        'a',
        using(ending({ termination: capped }), () => 1),
        {
          validate: () => {
            throw new Error('asked');
          },
        },
      )
      .run();
    expect(failing.stage('a').termination).toEqual(capped);
    const throwing = await pipeline('p')
      .stage('a', () => 1, {
        validate: () => {
          throw new Error('asked');
        },
      })
      .run();
    expect(throwing.stage('a').termination).toMatchObject({
      kind: 'failed',
      origin: 'step',
      error: { message: 'asked' },
    });
  });
});

describe('the disposition', () => {
  it('advisory continues without the output; the failure is kept', async () => {
    const result = await pipeline('p')
      .stage(
        'review',
        (): string => {
          throw new Error('no');
        },
        { disposition: 'advisory' },
      )
      .stage('next', ({ review }) => review.output ?? 'none')
      .run();
    expect(result).toMatchObject({ outcome: 'succeeded', output: 'none', termination: { kind: 'flow_completed' } });
    expect(result.stage('review')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'failed', origin: 'stage' },
    });
  });
});

describe('callbacks around the work', () => {
  it('are called once, in order, with the final ending', async () => {
    const calls: unknown[] = [];
    const flow = pipeline('p', { terminations: [reconciled] }).stage('a', () => ['x'], {
      before: () => calls.push('before'),
      onCompleted: ({ outcome, output }) =>
        outcome === 'succeeded' ? reconciled({ findings: output.length }) : undefined,
      after: ({ outcome, termination, attempts }) => calls.push([outcome, termination.kind, attempts]),
    });
    await flow.run(undefined, { alwaysReplay: true });
    expect(calls).toEqual(['before', ['succeeded', 'billing.reconciled', 1]]);
  });

  it('a throw before the work fails the stage without it', async () => {
    let ran = false;
    const result = await pipeline('p')
      .stage(
        'a',
        () => {
          ran = true;
        },
        {
          before: () => {
            throw new Error('before');
          },
        },
      )
      .run();
    expect(result.stage('a').termination).toMatchObject({ kind: 'failed', error: { message: 'before' } });
    expect(ran).toBe(false);
  });

  it('a throw after the work fails the stage, keeps the output and the executor’s ending, and a resume only calls it again', async () => {
    let [works, ready] = [0, false];
    const flow = pipeline('p').stage(
      'a',
      () => {
        works += 1;
        return 'kept';
      },
      {
        after: () => {
          if (!ready) throw new Error('after');
        },
      },
    );
    const first = await flow.run();
    expect(first.stage('a')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'failed', origin: 'step', error: { message: 'after' } },
      executor: { termination: { kind: 'flow_completed' } },
      output: 'kept',
    });
    ready = true;
    expect(await first.resume()).toMatchObject({ outcome: 'succeeded', output: 'kept' });
    expect(works).toBe(1);
  });
});

describe('treatAsSuccess and onCompleted', () => {
  const flow = (
    policy: Parameters<ReturnType<typeof pipeline>['stage']>[2] & object,
    loop = ending({ termination: capped, output: { findings: 4 } }),
  ) =>
    pipeline('p', { terminations: [reconciled, blocked], customTags: ['quiet'] })
      .stage(
        'a',
        using(loop, () => 1),
        policy as object,
      )
      .stage('b', () => 'b');

  it('flip the outcome and replace the termination, each only its own', async () => {
    const result = await flow({
      treatAsSuccess: (t) => t.kind === 'max_iterations',
      onCompleted: () => reconciled({ findings: 4 }),
    }).run();
    expect(result.stage('a')).toMatchObject({
      outcome: 'succeeded',
      termination: { kind: 'billing.reconciled', findings: 4 },
      category: 'success',
      tag: 'billing.reconciled',
      executor: { name: 'loop', termination: capped },
    });
    expect(result.outcome).toBe('succeeded');
  });

  it('a replaced termination leaves the outcome failed; the pipeline acts on the outcome', async () => {
    const result = await flow({ onCompleted: () => reconciled({ findings: 1 }) }).run();
    expect(result.stage('a')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'billing.reconciled' },
      category: 'success',
    });
    // The pipeline cannot have failed because of a success: it names the executor's ending.
    expect(rootCause(result.termination)).toEqual(capped);
    expect(result).toMatchObject({ outcome: 'failed', category: 'capacity' });
    expect(result.stage('b').termination).toEqual({ kind: 'skipped', because: 'not_reached' });
  });

  it('category and tag are those of the new termination', async () => {
    const result = await flow({ onCompleted: () => blocked({ by: 'audit' }) }).run();
    expect(result.stage('a')).toMatchObject({
      category: 'capacity',
      tag: 'blocked',
      executor: { termination: capped },
    });
    expect(result.termination).toEqual({
      kind: 'child_failed',
      child: { name: 'a', path: 'a/run' },
      termination: { kind: 'billing.blocked', by: 'audit' },
    });
    const custom = await flow({
      treatAsSuccess: () => true,
      onCompleted: () => terminations.custom({ reason: 'r', category: 'success', tag: 'quiet' }),
    }).run();
    expect(custom.stage('a').tag).toBe('quiet');
  });

  it('undefined, null and nothing keep the termination', async () => {
    for (const onCompleted of [() => undefined, () => null, () => void 0]) {
      const result = await flow({ onCompleted }).run();
      expect(result.stage('a').termination).toEqual(capped);
    }
  });

  it('a throw is recorded beside the ending and changes nothing', async () => {
    const result = await flow({
      treatAsSuccess: () => {
        throw new Error('treat');
      },
      onCompleted: () => {
        throw new Error('completed');
      },
    }).run();
    expect(result.stage('a')).toMatchObject({ outcome: 'failed', termination: capped });
    expect(result.stage('a').also.map(withoutStack)).toEqual(
      ['treat', 'completed'].map((message) => ({
        kind: 'failed',
        error: { name: 'Error', message },
        origin: 'stage',
        errorClass: 'internal',
      })),
    );
  });

  it('what is no termination, or cannot be journalled, is recorded and changes nothing', async () => {
    for (const [returned, code, words] of [
      [5, 'INVALID_RESULT', 'onCompleted returned 5; it must return a termination'],
      [{ kind: 'billing.reconciled', findings: 1n }, 'NOT_JSON', 'findings'],
    ] as const) {
      const result = await flow({ onCompleted: () => returned as never }).run();
      const error = { code, message: expect.stringContaining(words) };
      expect(result.stage('a')).toMatchObject({ termination: capped, also: [{ kind: 'failed', error }] });
    }
  });

  it('a kind that is not registered fails the stage loudly, with its fields, and is asked for again on resume', async () => {
    let returned: object = { kind: 'app.unknown', findings: 7 };
    const result = await flow({ treatAsSuccess: () => true, onCompleted: () => returned as never }).run();
    const error = { code: 'UNREGISTERED_TERMINATION', message: expect.stringContaining('"findings":7') };
    expect(result.stage('a')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'failed', errorClass: 'configuration', error },
      executor: { termination: capped },
    });
    returned = reconciled({ findings: 7 });
    const resumed = await result.resume();
    expect(resumed.stage('a')).toMatchObject({ outcome: 'succeeded', termination: { kind: 'billing.reconciled' } });
  });

  it('treatAsSuccess is not asked about success', async () => {
    let asked = false;
    await flow(
      {
        treatAsSuccess: () => {
          asked = true;
          return true;
        },
      },
      ending({ termination: terminations.naturalEnd(), output: { findings: 0 } }),
    ).run();
    expect(asked).toBe(false);
  });
});

describe('the completion gate', () => {
  it('may reject the results of all stages, and a resume asks it again', async () => {
    let missing: string | undefined = 'no summary';
    const flow = pipeline('p', { gate: (stages) => (stages['a']?.output === 1 ? missing : 'wrong') }).stage(
      'a',
      () => 1,
    );
    const first = await flow.run();
    expect(first.termination).toEqual({ kind: 'criteria_unmet', criteria: ['no summary'] });
    expect(first.stage('a').outcome).toBe('succeeded');
    missing = undefined;
    expect((await first.resume()).termination).toEqual({ kind: 'flow_completed', last: 'a' });
  });

  it('is not asked when a stage failed; one that throws fails the pipeline', async () => {
    let asked = false;
    const gate = (): never => {
      asked = true;
      throw new Error('gate');
    };
    await pipeline('p', { gate })
      .stage('a', (): number => {
        throw new Error('a');
      })
      .run();
    expect(asked).toBe(false);
    const result = await pipeline('p', { gate })
      .stage('a', () => 1)
      .run();
    expect(result.termination).toMatchObject({ kind: 'failed', origin: 'stage', error: { message: 'gate' } });
  });
});

describe('a malformed ending of onCompleted', () => {
  it.each<[string, object]>([
    ['a built-in with a wrong field', { kind: 'max_iterations', limit: 'many' }],
    ["one of one's own with a wrong field", { kind: 'billing.reconciled', findings: 'none' }],
  ])('keeps the ending of the work, and stands beside it: %s', async (_, malformed) => {
    const result = await pipeline('p', { terminations: [reconciled] })
      .stage('a', () => 1, { onCompleted: () => malformed as never })
      .run();
    expect(result.stage('a')).toMatchObject({
      outcome: 'succeeded',
      termination: { kind: 'flow_completed', last: 'a' },
      also: [{ kind: 'failed', error: { code: 'INVALID_RESULT', message: expect.stringContaining('malformed') } }],
    });
  });
});
