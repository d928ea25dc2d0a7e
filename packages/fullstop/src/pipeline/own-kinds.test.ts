import { describe, expect, it } from 'vitest';
import { defineConvergence } from '../convergence/define-convergence.js';
import { suggestor } from '../convergence/options/suggestor.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { continueOnFailure, fallback, retry, timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { blocked, ending, reconciled } from './runnable.fixture.js';

const stuck = blocked({ by: 'the bank' });

/** A pipeline with a kind of its own, deep inside. */
const inner = pipeline('inner', { terminations: [blocked, reconciled] })
  .stage('check', () => 1, { onCompleted: () => reconciled({ findings: 0 }) })
  .stage(
    'pay',
    using(ending({ termination: stuck }), () => ({})),
  );

describe('kinds of a nested pipeline', () => {
  it('are known to the one around it, and their endings survive whole', async () => {
    const middle = pipeline('middle').phase('group', (phase) =>
      phase.stage(
        'nested',
        using(inner, () => undefined),
      ),
    );
    const engine = memoryEngine();
    const outer = pipeline('outer').stage(
      'all',
      using(middle, () => undefined),
    );
    expect(outer.kinds).toContain('billing.blocked');
    expect(outer.terminations).toEqual([blocked, reconciled]);
    const result = await outer.run(undefined, { engine });
    expect(rootCause(result.termination)).toEqual(stuck);
    expect(result.category).toBe('capacity');
    const endings = (await result.journal()).flatMap((entry) =>
      entry.type === 'unit_ended' ? [entry.data.termination.kind as string] : [],
    );
    expect(endings).toContain('billing.reconciled');
    expect(endings).toContain('billing.blocked');
    expect(endings).not.toContain('failed');
  });

  it.each([
    [
      'timeout',
      timeout(
        using(inner, () => undefined),
        '1m',
      ),
    ],
    ['retry', retry(using(inner, () => undefined))],
    [
      'fallback',
      fallback(
        () => Promise.reject(new Error('no')),
        using(inner, () => undefined),
      ),
    ],
    ['continueOnFailure', continueOnFailure(using(inner, () => undefined))],
  ])('pass through %s', async (_, work) => {
    const result = await pipeline('outer').stage('all', work).run();
    expect(rootCause(result.stage('all').termination)).toEqual(stuck);
  });

  it('are known where a convergence asks the pipeline', async () => {
    const asking = suggestor('asking', { use: inner, input: () => undefined, propose: () => undefined });
    const convergence = defineConvergence({ suggestors: [asking] });
    expect(rootCause((await convergence.run()).termination)).toEqual(stuck);
    const outer = pipeline('outer').stage(
      'all',
      using(convergence, () => ({})),
    );
    expect(rootCause((await outer.run()).termination)).toEqual(stuck);
  });

  it('may be listed twice, but not with another meaning', () => {
    const nested = using(inner, () => undefined);
    expect(pipeline('outer', { terminations: [blocked] }).stage('all', nested).terminations).toEqual([
      blocked,
      reconciled,
    ]);
    const other = { name: 'other', kinds: [], terminations: [Object.assign(() => stuck, { ...blocked })] as never };
    const work = using({ ...other, within: async () => ({ termination: terminations.naturalEnd() }) }, () => ({}));
    expect(() => pipeline('outer', { terminations: [blocked] }).stage('all', work)).toThrow(/registered twice/);
  });

  it('are refused where nobody brings the definition along', () => {
    const foreign = { name: 'f', kinds: ['billing.blocked'], within: async () => ({ termination: stuck }) };
    expect(() =>
      pipeline('outer').stage(
        'all',
        using(foreign, () => ({})),
      ),
    ).toThrow(/billing.blocked/);
  });
});

describe('a kind of its own that a stage function returns', () => {
  it('and nobody has registered fails the stage, as it fails a run', async () => {
    const result = await pipeline('p')
      .stage('a', () => blocked({ by: 'the bank' }) as unknown)
      .run();
    expect(result.stage('a')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'failed', error: { code: 'UNREGISTERED_TERMINATION' }, errorClass: 'configuration' },
    });
    expect(rootCause(result.termination)).toMatchObject({
      error: { message: expect.stringContaining('billing.blocked') },
    });
  });

  it('is its ending where it is registered, and data that looks like one is its output', async () => {
    const known = pipeline('p', { terminations: [blocked] }).stage('a', () => blocked({ by: 'the bank' }) as unknown);
    expect(rootCause((await known.run()).termination)).toEqual(stuck);
    const event = { kind: 'order.created', id: 7 };
    const result = await pipeline('p')
      .stage('a', () => event)
      .run();
    expect(result).toMatchObject({ termination: { kind: 'flow_completed' }, output: event });
  });
});
