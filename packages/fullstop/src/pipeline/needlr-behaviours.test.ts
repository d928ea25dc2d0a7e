import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { needlr } from '../dialects/needlr.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { continueOnFailure, fallback, timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { ending, untilAborted } from './runnable.fixture.js';

// Behaviours of the reference runner that are easily missed, by their number, each with what is decided here.

const capped = terminations.maxIterations({ limit: 2, used: 2, unit: 'iteration' });
const throwing = (): never => {
  throw new Error('no');
};

describe('easily missed', () => {
  it('1. a custom reason never reaches a tag: it is "custom" unless the tag is declared', async () => {
    const custom = (tag?: string) =>
      pipeline('p', { customTags: ['declared'] })
        .stage('a', () => 1, {
          onCompleted: () =>
            terminations.custom({ reason: 'order 4711', category: 'success', ...(tag !== undefined && { tag }) }),
        })
        .run();
    expect((await custom()).stage('a').tag).toBe('custom');
    expect((await custom('order-4711')).stage('a').tag).toBe('custom');
    expect((await custom('declared')).stage('a').tag).toBe('declared');
  });

  it('2. eleven cases there; here no stage is ever without a termination, so there is no Unspecified', async () => {
    const words = [
      'Completed',
      'NaturalCompletion',
      'CompletedEarlyAfterToolCall',
      'MaxIterationsReached',
      'MaxToolCallsReached',
      'BudgetPressure',
      'StallDetected',
      'Cancelled',
      'Failed',
      'Skipped',
      'Custom',
    ];
    for (const word of words) expect(needlr.decode({ $kind: word }).termination.kind).toBeTypeOf('string');
    const result = await pipeline('p')
      .stage('delegate', () => undefined)
      .stage('never', throwing)
      .stage('after', () => 1)
      .run();
    expect(result.stages.map(({ termination }) => termination.kind)).toEqual(['flow_completed', 'failed', 'skipped']);
  });

  it('11. a timeout is time_budget, never Cancelled and never Error, also around a loop', async () => {
    const engine = memoryEngine({ clock: simulatedClock() });
    const agent = defineAgent({
      name: 'slow',
      model: scriptedModel([{ text: 'late', delay: '1h' }], { clock: engine.clock }),
    });
    const result = await pipeline('p')
      .stage(
        'loop',
        timeout(
          using(agent, () => 'go'),
          '5s',
        ),
      )
      .run(undefined, { engine });
    expect(result.stage('loop').termination).toEqual({
      kind: 'time_budget',
      limitMs: 5000,
      elapsedMs: 5000,
      scope: 'stage',
    });
  });

  it('12. cancelling by the caller returns, with every result so far; function and loop stages end alike', async () => {
    for (const inLoop of [false, true]) {
      const stop = new AbortController();
      const hang = {
        name: 'loop',
        kinds: [],
        within: (context: Parameters<typeof untilAborted>[0]['context']) => untilAborted({ context }),
      };
      const cancelSoon = (): number => Number(setTimeout(() => stop.abort(), 1));
      const flow = pipeline('p').stage('first', () => 'kept');
      const result = await (inLoop
        ? flow.stage(
            'hangs',
            using(hang, () => void cancelSoon()),
          )
        : flow.stage('hangs', (_, stage) => {
            cancelSoon();
            return untilAborted(stage);
          })
      ).run(undefined, { signal: stop.signal });
      expect(result.termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
      expect(result.stages.map(({ outcome, termination }) => [outcome, termination.kind])).toEqual([
        ['succeeded', 'flow_completed'],
        ['cancelled', 'cancelled'],
      ]);
    }
  });

  it('13. a validation that is never content leaves a stage entry of its own kind', async () => {
    const result = await pipeline('p')
      .stage('a', () => 1, { validate: () => 'wrong' })
      .run();
    expect(result.stages).toMatchObject([
      { outcome: 'failed', termination: { kind: 'post_validation_failed', attempts: 1, reason: 'wrong' } },
    ]);
  });

  it('14. attempts without a validation do nothing there; here they are refused', () => {
    expect(() => pipeline('p').stage('a', () => 1, { attempts: 3 })).toThrow('To try failures again, use retry');
  });

  it('15. a stage budget needs no scope around it', async () => {
    const result = await pipeline('p')
      .stage(
        'a',
        async (_, { context }) => {
          for (;;) await context.step('call', ({ charge }) => charge({ outputTokens: 10 }));
        },
        { limits: { tokens: 20 } },
      )
      .run();
    expect(rootCause(result.termination)).toEqual({ kind: 'token_budget', limit: 20, used: 20 });
  });

  it('16. advisory failures leave the pipeline succeeded; the gate can still reject', async () => {
    const flow = (gate: () => string | undefined) =>
      pipeline('p', { gate }).stage('a', throwing, { disposition: 'advisory' }).run();
    expect((await flow(() => undefined)).termination).toEqual({ kind: 'flow_completed', last: 'a' });
    expect((await flow(() => 'a is missing')).termination).toEqual({
      kind: 'criteria_unmet',
      criteria: ['a is missing'],
    });
  });

  it('17. treatAsSuccess flips the outcome, never the termination; onCompleted the other way round', async () => {
    const loop = using(ending({ termination: capped, output: 'x' }), () => 1);
    const flipped = await pipeline('p')
      .stage('a', loop, { treatAsSuccess: () => true })
      .run();
    expect(flipped.stage('a')).toMatchObject({ outcome: 'succeeded', termination: capped });
    const replaced = await pipeline('p')
      .stage('a', loop, { onCompleted: () => terminations.naturalEnd() })
      .run();
    expect(replaced.stage('a')).toMatchObject({
      outcome: 'failed',
      termination: { kind: 'natural_end' },
      executor: { termination: capped },
    });
  });

  it('18. decorators see endings that were returned, not only throws', async () => {
    const loop = using(ending({ termination: capped, output: 'x' }), () => 1);
    expect(
      (
        await pipeline('p')
          .stage(
            'a',
            fallback(loop, () => 'other'),
          )
          .run()
      ).output,
    ).toBe('other');
    expect(
      (
        await pipeline('p')
          .stage('a', continueOnFailure(loop))
          .stage('b', () => 'b')
          .run()
      ).output,
    ).toBe('b');
  });

  it('19. a skipped stage has its entry and its ending, but no work, no callback and no executor', async () => {
    const calls: string[] = [];
    const result = await pipeline('p')
      .stage('a', () => calls.push('work'), {
        skip: () => 'why not',
        before: () => calls.push('before'),
        after: () => calls.push('after'),
      })
      .run();
    expect(calls).toEqual([]);
    expect(result.stages).toMatchObject([
      { outcome: 'skipped', termination: { kind: 'skipped', reason: 'why not' }, usage: { totalTokens: 0 } },
    ]);
    const ended = (await result.journal()).filter(({ type, key }) => type === 'unit_ended' && key === 'a');
    expect(ended).toHaveLength(1);
  });
});
