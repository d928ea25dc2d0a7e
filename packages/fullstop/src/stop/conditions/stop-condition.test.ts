import { describe, expect, it } from 'vitest';
import { terminations } from '../../termination/terminations.js';
import { reconciled } from '../../termination/third-party.fixture.js';
import { evaluateConditions } from '../evaluate.js';
import { observation } from '../loop.fixture.js';
import type { LoopView } from '../observation.js';
import { stopCondition } from './stop-condition.js';

const view: LoopView = { ...observation({ toolCalls: 3 }), answer: 'so far', messages: [] };
const enough = terminations.custom({ reason: 'enough', category: 'success' });

describe('stopCondition', () => {
  it('asks the callback with what the loop sees', async () => {
    const condition = stopCondition('enough', ({ toolCalls, answer }) => toolCalls > 2 && answer !== '' && enough);
    await expect(condition.evaluateAsync?.(view)).resolves.toEqual(enough);
    await expect(condition.evaluateAsync?.({ ...view, toolCalls: 2 })).resolves.toBeUndefined();
  });

  it.each([undefined, null, false] as const)('continues when the callback returns %s', async (nothing) => {
    await expect(stopCondition('never', async () => nothing).evaluateAsync?.(view)).resolves.toBeUndefined();
  });

  it('finds its verdict in the observation, so that a replay asks nobody', () => {
    let asked = 0;
    const condition = stopCondition('enough', () => {
      asked += 1;
      return enough;
    });
    const recorded = observation({ verdicts: { enough } });
    expect(evaluateConditions([condition], {}, recorded).winner).toEqual(enough);
    expect(evaluateConditions([condition], {}, observation({ verdicts: { other: enough } })).winner).toBeUndefined();
    expect(evaluateConditions([stopCondition('toString', () => enough)], {}, recorded).winner).toBeUndefined();
    expect(asked).toBe(0);
  });

  it('may end a run with kinds of its own when it lists them', async () => {
    const condition = stopCondition('books', () => reconciled({ findings: 2 }), ['billing.reconciled']);
    expect(condition.kinds).toEqual(['billing.reconciled']);
    await expect(condition.evaluateAsync?.(view)).resolves.toEqual({ kind: 'billing.reconciled', findings: 2 });
  });

  it('refuses a verdict that was not declared', async () => {
    const condition = stopCondition('books', (() => reconciled({ findings: 2 })) as never);
    await expect(condition.evaluateAsync?.(view)).rejects.toMatchObject({
      code: 'ENDING_NOT_DECLARED',
      message: expect.stringContaining('gave "billing.reconciled", which is not among the kinds it declares: custom'),
    });
  });

  it.each([true, 'stop', 1, {}, []])('refuses %j, which says nothing', async (verdict) => {
    const condition = stopCondition('odd', (() => verdict) as never);
    await expect(condition.evaluateAsync?.(view)).rejects.toMatchObject({ code: 'INVALID_TERMINATION' });
  });

  it('passes on what the callback throws', async () => {
    const condition = stopCondition('broken', () => {
      throw new TypeError('no such field');
    });
    await expect(condition.evaluateAsync?.(view)).rejects.toThrow('no such field');
  });

  it('refuses to be made without a name or a function', () => {
    expect(() => stopCondition('', () => undefined)).toThrow('name is ""');
    expect(() => stopCondition('x', undefined as never)).toThrow('it must be a function');
  });
});
