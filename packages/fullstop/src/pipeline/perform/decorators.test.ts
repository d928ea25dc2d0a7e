import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { rootCause } from '../../termination/root-cause.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { pipeline } from '../pipeline.js';
import { ending, untilAborted } from '../runnable.fixture.js';
import { continueOnFailure, fallback, retry, timeout } from './decorators.js';
import { using } from './using.js';

const busy = terminations.providerFailed({ attempts: 3, status: 503, retryAfterMs: 9000 });
const capped = terminations.maxIterations({ limit: 3, used: 3, unit: 'iteration' });
const done = { termination: terminations.naturalEnd(), output: 'done' };

function broken(): string {
  throw new Error('broken');
}

describe('timeout', () => {
  it('ends work that takes too long as time_budget, and says so through its signal', async () => {
    const clock = simulatedClock();
    const flow = pipeline('p').stage(
      'slow',
      timeout((_, stage) => untilAborted(stage), '30s'),
    );
    const result = await flow.run(undefined, { engine: memoryEngine({ clock }) });
    expect(rootCause(result.termination)).toEqual({
      kind: 'time_budget',
      limitMs: 30_000,
      elapsedMs: 30_000,
      scope: 'stage',
    });
    expect(result.stage('slow')).toMatchObject({
      outcome: 'failed',
      category: 'capacity',
      termination: { kind: 'time_budget' },
    });
  });

  it('leaves quick work alone', async () => {
    expect(
      (
        await pipeline('p')
          .stage(
            'quick',
            timeout(() => 1, 1000),
          )
          .run()
      ).output,
    ).toBe(1);
  });

  it('can be raised by a resume, which runs the work again', async () => {
    const clock = simulatedClock();
    const flow = pipeline('p').stage(
      'slow',
      timeout(async (_, { context }) => {
        await context.sleep('nap', 40_000);
        return 'slept';
      }, '30s'),
    );
    const first = await flow.run(undefined, { engine: memoryEngine({ clock }) });
    await expect(first.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    expect((await first.resume({ limits: { timeMs: 60_000 } })).output).toBe('slept');
  });
});

it.each(['yes', 1, undefined, Promise.resolve([])])(
  'a when that says neither yes nor no fails the stage: %o',
  async (said) => {
    const when = () => said as never;
    for (const [name, work] of [
      ['fallback', fallback(broken, () => 'other', { when })],
      ['retry', retry(broken, { when })],
    ] as const) {
      const { termination, stages } = await pipeline('p').stage('a', work).run();
      expect(rootCause(termination)).toMatchObject({
        kind: 'failed',
        errorClass: 'configuration',
        error: { message: expect.stringMatching(`^The when of ${name} returned .*; it must return true or false\\.$`) },
      });
      expect(stages[0]?.executor?.termination).toMatchObject({ error: { message: 'broken' } });
    }
  },
);

describe('fallback', () => {
  it('works on endings as well as on throws', async () => {
    const other = (): string => 'other';
    const ofEnding = await pipeline('p')
      .stage(
        'a',
        fallback(
          using(ending({ termination: capped, output: 'x' }), () => 1),
          other,
        ),
      )
      .run();
    expect(ofEnding.output).toBe('other');
    expect((await pipeline('p').stage('a', fallback(broken, other)).run()).output).toBe('other');
    expect(
      (
        await pipeline('p')
          .stage(
            'a',
            fallback(() => 'first', other),
          )
          .run()
      ).output,
    ).toBe('first');
  });

  it('names the work whose ending it is', async () => {
    const first = { ...ending({ termination: capped }), name: 'first' };
    const second = { ...ending({ ...done }), name: 'second' };
    const [failing, helping] = [using(first, () => 1), using(second, () => 1)];
    const flow = pipeline('p')
      .stage('stood', fallback(helping, failing))
      .stage('replaced', fallback(failing, helping))
      .stage(
        'by-function',
        fallback(failing, () => 1),
      )
      .stage('nested', retry(fallback(fallback(failing, failing), timeout(fallback(failing, helping), '1h'))))
      .stage('seen', (stages) => Object.values(stages).map((stage) => stage?.executor?.name ?? null))
      .stage('refused', fallback(failing, helping), { validate: () => 'no', disposition: 'advisory' })
      .stage('unfit', fallback(failing, helping), {
        validate: () => {
          throw new Error('unfit');
        },
      });
    const engine = memoryEngine();
    const result = await flow.run(undefined, { engine });
    const names = ['second', 'second', 'by-function', 'second', 'seen', 'second', 'second'];
    expect(result.stages.map(({ executor }) => executor?.name)).toEqual(names);
    expect(result.stage('seen').output).toEqual([null, ...names.slice(0, 4)]);
    expect(result.stage('refused').executor).toEqual({ name: 'second', termination: done.termination });
    expect((await flow.result(result.runId, { engine }))?.stages).toEqual(result.stages);
  });

  it('only after the endings that are asked for, and the fallback’s failure is the stage’s', async () => {
    const only = fallback(
      using(ending({ termination: capped, output: 'x' }), () => 1),
      () => 'other',
      { when: (t) => t.kind === 'provider_failed' },
    );
    expect((await pipeline('p').stage('a', only).run()).stage('a').termination).toEqual(capped);
    const both = await pipeline('p')
      .stage(
        'a',
        fallback(
          broken,
          using(ending({ termination: capped, output: 'x' }), () => 1),
        ),
      )
      .run();
    expect(both.stage('a').termination).toEqual(capped);
  });

  it('takes over from a timeout', async () => {
    const engine = memoryEngine({ clock: simulatedClock() });
    const flow = pipeline('p').stage(
      'a',
      fallback(
        timeout((_, stage) => untilAborted(stage), '1s'),
        () => 'cached',
      ),
    );
    expect((await flow.run(undefined, { engine })).output).toBe('cached');
  });
});

describe('retry', () => {
  it('tries again after retryable endings, as late as the provider asks', async () => {
    const clock = simulatedClock();
    const start = clock.now();
    const loop = ending({ termination: busy, output: 'x' }, { termination: busy }, done);
    const flow = pipeline('p').stage(
      'a',
      retry(
        using(loop, () => 1),
        { attempts: 3, delay: '1s' },
      ),
    );
    const result = await flow.run(undefined, { engine: memoryEngine({ clock }) });
    expect(result.output).toBe('done');
    expect(loop.inputs).toHaveLength(3);
    expect(clock.now() - start).toBe(18_000);
  });

  it('does not try again what is not retryable, unless it is asked to', async () => {
    const loop = ending({ termination: capped, output: 'x' }, done);
    const once = await pipeline('p')
      .stage('a', retry(using(loop, () => 1)))
      .run();
    expect(once.stage('a').termination).toEqual(capped);
    let calls = 0;
    const flaky = (): number => {
      calls += 1;
      if (calls < 3) throw new Error('flaky');
      return calls;
    };
    expect(
      (
        await pipeline('p')
          .stage('a', retry(flaky, { when: () => true }))
          .run()
      ).output,
    ).toBe(3);
  });

  it('gives up after its attempts, with the last ending and what the provider asks for', async () => {
    const loop = ending({ termination: busy, output: 'x' }, { termination: busy }, done);
    const flow = pipeline('p').stage(
      'a',
      retry(
        using(loop, () => 1),
        { attempts: 2 },
      ),
    );
    const first = await flow.run(undefined, { engine: memoryEngine({ clock: simulatedClock() }) });
    expect(rootCause(first.termination)).toEqual(busy);
    expect(first.retryAfterMs).toBe(9000);
    expect(() => retry(broken, { attempts: 0 })).toThrow('attempts');
  });
});

describe('continueOnFailure', () => {
  it('lets the pipeline continue after endings as well as after throws', async () => {
    const result = await pipeline('p')
      .stage('thrown', continueOnFailure(broken))
      .stage('ended', continueOnFailure(using(ending({ termination: capped, output: 'partial' }), () => 1)))
      .stage('last', ({ thrown, ended }) => [thrown.output ?? 'nothing', ended.output ?? 'nothing'])
      .run();
    expect(result).toMatchObject({ outcome: 'succeeded', output: ['nothing', 'partial'] });
    expect(result.stages.map(({ outcome, termination }) => [outcome, termination.kind])).toEqual([
      ['failed', 'failed'],
      ['failed', 'max_iterations'],
      ['succeeded', 'flow_completed'],
    ]);
  });

  it('does not hide a cancellation by the caller', async () => {
    const stop = new AbortController();
    const flow = pipeline('p')
      .stage(
        'a',
        continueOnFailure((_, stage) => {
          setTimeout(() => stop.abort('enough'), 1);
          return untilAborted(stage);
        }),
      )
      .stage('b', () => 2);
    const result = await flow.run(undefined, { signal: stop.signal });
    expect(result.termination).toEqual({ kind: 'cancelled', by: 'caller', reason: 'enough' });
    expect(result.stage('b').termination).toEqual({ kind: 'skipped', because: 'not_reached' });
  });
});

it('decorators nest, and a resume goes down to the unit that failed', async () => {
  const loop = ending({ termination: busy, output: 'x' }, { termination: busy }, { termination: busy }, done);
  let fallbacks = 0;
  const flow = pipeline('p').stage(
    'a',
    fallback(
      retry(
        timeout(
          using(loop, () => 1),
          '1m',
        ),
        { attempts: 2 },
      ),
      () => {
        fallbacks += 1;
        throw new Error('no fallback either');
      },
    ),
    { onCompleted: () => undefined },
  );
  const first = await flow.run(undefined, { engine: memoryEngine({ clock: simulatedClock() }) });
  expect(rootCause(first.termination)).toMatchObject({ kind: 'failed', error: { message: 'no fallback either' } });
  await first.resume();
  expect([loop.inputs.length, fallbacks]).toEqual([2, 2]);
});
