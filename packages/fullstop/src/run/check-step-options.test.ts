import { describe, expect, test } from 'vitest';
import { terminations } from '../termination/terminations.js';
import { checkStepOptions } from './check-step-options.js';
import { defineRun } from './define-run.js';
import type { StepOptions } from './run-context.js';

const never = [-1, Number.NaN, Number.POSITIVE_INFINITY, '5', null];

describe('the options of a step', () => {
  test.each([
    ['timeoutMs', [0, ...never], (timeoutMs: number): StepOptions => ({ timeoutMs })],
    ['retry.attempts', [0, 1.5, ...never], (attempts: number): StepOptions => ({ retry: { attempts } })],
    ['retry.factor', [0, ...never], (factor: number): StepOptions => ({ retry: { attempts: 2, factor } })],
    [
      'retry.initialDelayMs',
      never,
      (initialDelayMs: number): StepOptions => ({ retry: { attempts: 2, initialDelayMs } }),
    ],
    [
      'retry.maximumDelayMs',
      never,
      (maximumDelayMs: number): StepOptions => ({ retry: { attempts: 2, maximumDelayMs } }),
    ],
    ['reserve: outputTokens', never, (outputTokens: number): StepOptions => ({ reserve: { outputTokens } })],
    ['reserve: costUsd', never, (costUsd: number): StepOptions => ({ reserve: { costUsd } })],
  ])('%s: %j are refused, by name and with what was found', (option, values, optionsOf) => {
    for (const value of values) {
      const found = value === '5' ? '"5"' : String(value);
      expect(() => checkStepOptions(optionsOf(value as number), 'call')).toThrow(
        `The step "call": ${option} is ${found}; it must be a`,
      );
    }
  });

  test.each<[string, StepOptions, string]>([
    ['reserve', { reserve: { outputTokns: 5 } as never }, 'has no option "outputTokns" (did you mean "outputTokens"?)'],
    ['reserve', { reserve: null as never }, 'The step "call": reserve is null; it must be an object with'],
    ['retry', { retry: { attempts: 2, facto: 3 } as never }, 'has no option "facto" (did you mean "factor"?)'],
    ['retry', { retry: null as never }, 'The step "call": retry is null; it must be an object with'],
  ])('%s: what is misspelt or no object is refused', (_, options, message) => {
    expect(() => checkStepOptions(options, 'call')).toThrow(message);
  });

  test('may say what can be meant', () => {
    const retry = { attempts: 3, initialDelayMs: 0, factor: 0.5, maximumDelayMs: 0 };
    expect(() => checkStepOptions({ retry, timeoutMs: 0.5, reserve: { outputTokens: 0 } }, 'call')).not.toThrow();
    expect(() => checkStepOptions({ once: true, timeoutMs: 5 }, 'call')).not.toThrow();
  });

  test('refuse to retry a step that may run at most once', () => {
    expect(() => checkStepOptions({ once: true, retry: { attempts: 2 } }, 'pay')).toThrow('both once and retry');
  });
});

describe('the charge of a step', () => {
  test('may be the usage of a provider, which says more than is counted', async () => {
    const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7, cachedInputTokens: 1 };
    const run = defineRun({
      name: 'charged',
      run: async (context) => {
        await context.step('call', ({ charge }) => charge(usage));
        await context.step('free', ({ charge }) => charge({}));
        return terminations.naturalEnd();
      },
    });
    const { termination, usage: used } = await run.run(undefined);
    expect([termination, used.totalTokens]).toEqual([{ kind: 'natural_end' }, 7]);
  });

  test('with a misspelt amount fails the step: it would count for nothing', async () => {
    const run = defineRun({
      name: 'charged',
      run: async (context) => {
        await context.step('odd', ({ charge }) => charge({ inputTokns: 5 } as never));
        return terminations.naturalEnd();
      },
    });
    expect((await run.run(undefined)).termination).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('The charge of the step "odd" has no option "inputTokns"') },
    });
  });

  test.each([Number.NaN, -5, Number.POSITIVE_INFINITY])(
    'of %d fails the step, and limits continue to hold',
    async (amount) => {
      const run = defineRun({
        name: 'charged',
        limits: { tokens: 10 },
        run: async (context) => {
          const failed = context.step('odd', ({ charge }) => charge({ outputTokens: amount }));
          await failed.catch(() => undefined);
          for (let call = 0; call < 5; call += 1)
            await context.step('call', ({ charge }) => charge({ outputTokens: 10 }));
          return terminations.naturalEnd();
        },
      });
      const result = await run.run(undefined);
      expect(result.termination).toEqual({ kind: 'token_budget', limit: 10, used: 10 });
      const [odd] = (await result.journal()).filter(({ type }) => type === 'step_ended');
      expect(odd?.data).toMatchObject({
        ok: false,
        error: { message: `The charge of the step "odd": outputTokens is ${amount}; it must be a number, 0 or more.` },
      });
    },
  );
});
