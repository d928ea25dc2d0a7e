import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from './any-termination.fixture.js';
import { causeChainOf, circularCause } from './cause-chain.fixture.js';
import { samples } from './samples.fixture.js';
import { isTermination, terminations } from './terminations.js';
import { reconciled } from './third-party.fixture.js';

function refusal(make: () => unknown): { readonly message: string; readonly issues: readonly { path: string }[] } {
  try {
    make();
  } catch (error) {
    expect(error).toMatchObject({ name: 'FullstopError', code: 'INVALID_TERMINATION' });
    return error as never;
  }
  throw new Error('nothing was refused');
}

describe('constructors', () => {
  it('fill in the unit of iterations and the scope of a time budget', () => {
    expect(terminations.maxIterations({ limit: 25, used: 25 })).toStrictEqual({
      kind: 'max_iterations',
      limit: 25,
      used: 25,
      unit: 'iteration',
    });
    expect(terminations.timeBudget({ limitMs: 10, elapsedMs: 11 })).toStrictEqual({
      kind: 'time_budget',
      limitMs: 10,
      elapsedMs: 11,
      scope: 'run',
    });
  });

  it('keep what is given instead of a default', () => {
    expect(terminations.maxIterations({ limit: 1, used: 1, unit: 'turn' }).unit).toBe('turn');
    expect(terminations.timeBudget({ limitMs: 1, elapsedMs: 1, scope: 'model' }).scope).toBe('model');
  });

  it('take a field that is undefined for one that is left out', () => {
    const given = { limit: 1, used: 1, unit: undefined } as unknown as { limit: number; used: number };
    expect(terminations.maxIterations(given)).toStrictEqual({ ...given, kind: 'max_iterations', unit: 'iteration' });
    expect(terminations.skipped({ reason: undefined } as object)).toStrictEqual({ kind: 'skipped' });
  });

  it('need no argument where nothing is required', () => {
    expect(terminations.naturalEnd()).toStrictEqual({ kind: 'natural_end' });
    expect(terminations.skipped()).toStrictEqual({ kind: 'skipped' });
    expect(terminations.promptTooLong()).toStrictEqual({ kind: 'prompt_too_long' });
  });

  it('do not change what they were given', () => {
    const fields = Object.freeze({ limit: 1, used: 1 });
    expect(terminations.maxIterations(fields)).not.toBe(fields);
    expect(fields).toEqual({ limit: 1, used: 1 });
  });

  it('make their own kind, also from the fields of another termination', () => {
    expect(terminations.tokenBudget({ ...samples.max_tool_calls })).toStrictEqual({
      kind: 'token_budget',
      limit: 40,
      used: 41,
    });
  });

  it('recognise their kind', () => {
    expect(terminations.failed.is(samples.failed)).toBe(true);
    expect(terminations.failed.is(samples.no_route)).toBe(false);
    expect(terminations.failed.kind).toBe('failed');
  });

  it('hold endings of third-party kinds whole', () => {
    const inner = reconciled({ findings: 2 }) as never;
    const t = terminations.childFailed({ child: { name: 'a', path: 'a' }, termination: inner });
    expect(t.termination).toBe(inner);
  });
});

describe('constructors refuse', () => {
  it.each([
    [
      'a limit of zero',
      () => terminations.maxToolCalls({ limit: 0, used: 0 }),
      'limit',
      'a whole number above 0, found 0',
    ],
    [
      'a negative limit',
      () => terminations.tokenBudget({ limit: -5, used: 0 }),
      'limit',
      'a whole number above 0, found -5',
    ],
    [
      'half a step',
      () => terminations.maxIterations({ limit: 1.5, used: 1 }),
      'limit',
      'a whole number above 0, found 1.5',
    ],
    [
      'a negative count',
      () => terminations.converged({ cycles: -1, facts: 0 }),
      'cycles',
      'a whole number of 0 or more, found -1',
    ],
    ['no money', () => terminations.costBudget({ limitUsd: 0, usedUsd: 0 }), 'limitUsd', 'a number above 0, found 0'],
    [
      'NaN',
      () => terminations.costBudget({ limitUsd: 1, usedUsd: Number.NaN }),
      'usedUsd',
      'a number of 0 or more, found NaN',
    ],
    [
      'endless time',
      () => terminations.timeBudget({ limitMs: Number.POSITIVE_INFINITY, elapsedMs: 1 }),
      'limitMs',
      'a number above 0, found Infinity',
    ],
    [
      'a ratio above 1',
      () => terminations.budgetPressure({ threshold: 80, resource: 'cost', finalized: true }),
      'threshold',
      'a number from 0 to 1, found 80',
    ],
    [
      'an odd status',
      () => terminations.providerAuth({ status: 99, provider: 'x' }),
      'status',
      'an HTTP status from 100 to 599, found 99',
    ],
    [
      'a local time',
      () => terminations.gateExpired({ gateId: 'g', deadline: '2026-03-01 12:00' }),
      'deadline',
      'an instant such as 2026-03-01T12:00:00.000Z, found "2026-03-01 12:00"',
    ],
    [
      'a month that does not exist',
      () => terminations.abandoned({ lastSeenAt: '2026-13-01T00:00:00Z' }),
      'lastSeenAt',
      'an instant such as 2026-03-01T12:00:00.000Z, found "2026-13-01T00:00:00Z"',
    ],
    [
      'a day that does not exist',
      () => terminations.abandoned({ lastSeenAt: '2026-02-30T00:00:00.5Z' }),
      'lastSeenAt',
      'an instant such as 2026-03-01T12:00:00.000Z, found "2026-02-30T00:00:00.5Z"',
    ],
    [
      'a word that is none',
      () => terminations.completed({ check: 'never' as 'iteration' }),
      'check',
      'one of iteration, tool_rounds, tool_call, found "never"',
    ],
    [
      'a list in place of text',
      () => terminations.toolCalled({ tool: ['x'] as never }),
      'tool',
      'a string, found a list',
    ],
    [
      'text in place of a flag',
      () => terminations.budgetPressure({ threshold: 1, resource: 'time', finalized: 'yes' as never }),
      'finalized',
      'true or false, found "yes"',
    ],
    [
      'text in place of a list',
      () => terminations.criteriaMet({ criteria: 'x' as never }),
      'criteria',
      'a list, found "x"',
    ],
    [
      'text in place of properties',
      () => terminations.custom({ reason: '', category: 'fatal', properties: 'x' as never }),
      'properties',
      'an object, found "x"',
    ],
    [
      'text in place of an error',
      () => terminations.compactionFailed({ stage: 's', error: 'x' as never }),
      'error',
      'an object, found "x"',
    ],
    [
      'a child without ending',
      () => terminations.childFailed({ child: { name: '', path: '' }, termination: 'x' as never }),
      'termination',
      'a termination, found "x"',
    ],
  ])('%s', (_, make, path, expected) => {
    expect(refusal(make).issues).toEqual([{ code: 'invalid', path, message: `expected ${expected}` }]);
  });

  it('evidence in the depth of a list, with its path', () => {
    const gates = [samples.gate_pending.gates[0], { gateId: 'g', path: 'p', summary: 's', options: [{ value: 5 }] }];
    expect(refusal(() => terminations.gatePending({ gates: gates as never })).issues).toEqual([
      { code: 'invalid', path: 'gates[1].options[0].value', message: 'expected a string, found 5' },
    ]);
  });

  it('an Error in place of data, with its path', () => {
    const { message, issues } = refusal(() =>
      terminations.terminated({
        status: 'failed',
        reason: '',
        by: '',
        output: { error: new RangeError('x') } as never,
      }),
    );
    expect(issues).toEqual([
      { code: 'invalid', path: 'output.error', message: 'expected a JSON value, found an instance of RangeError' },
    ]);
    expect(message).toBe(
      'Not a valid terminated: output.error: expected a JSON value, found an instance of RangeError.',
    );
  });

  it('missing evidence, all of it at once', () => {
    const { message, issues } = refusal(() => terminations.maxIterations({} as never));
    expect(issues).toEqual([
      { code: 'missing', path: 'limit', message: 'missing, expected a whole number above 0' },
      { code: 'missing', path: 'used', message: 'missing, expected a whole number of 0 or more' },
    ]);
    expect(message).toBe(
      'Not a valid max_iterations: limit: missing, expected a whole number above 0; used: missing, expected a whole number of 0 or more.',
    );
  });

  it('with a message that stays readable when everything is wrong', () => {
    const criteria = Array.from({ length: 100_000 }, (_, index) => index) as unknown as readonly string[];
    const { message, issues } = refusal(() => terminations.criteriaMet({ criteria }));
    expect(issues).toHaveLength(100);
    expect(message).toMatch(/criteria\[4\]: expected a string, found 4; and 95 more\.$/);
  });
});

describe('isTermination', () => {
  it('is true of every termination', () => {
    fc.assert(fc.property(arbitraryTermination, (t) => isTermination(t)));
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', '{"kind":"natural_end"}'],
    ['a list', [samples.natural_end]],
    ['no kind', {}],
    ['an unknown kind', { kind: 'future_kind' }],
    ['an inherited kind', Object.create({ kind: 'natural_end' })],
    ['a kind named like a method', { kind: 'constructor' }],
    ['missing evidence', { kind: 'tool_called' }],
    ['wrong evidence', { kind: 'tool_called', tool: 5 }],
    ['wrong evidence deep inside', causeChainOf(3, { kind: 'tool_called' } as never)],
    ['something that is no JSON', { kind: 'submitted', tool: 'x', deliverable: new Date(0) }],
    ['a circle', circularCause()],
    ['too deep a chain', causeChainOf(10_000, samples.natural_end)],
    ['a third-party kind', reconciled({ findings: 1 })],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          getPrototypeOf: () => {
            throw new Error('trap');
          },
        },
      ),
    ],
    [
      'a getter that throws',
      {
        kind: 'natural_end',
        get extra() {
          throw new Error('getter');
        },
      },
    ],
  ])('is false of %s', (_, value) => {
    expect(isTermination(value)).toBe(false);
  });
});
