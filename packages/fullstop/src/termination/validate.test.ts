import { describe, expect, it } from 'vitest';
import { createCodec, decode, type TerminationCodec } from './codec/codec.js';
import type { Ending } from './ending.js';
import type { ValueIssue } from './errors/fullstop-error.js';
import { createRegistry } from './registry.js';
import { samples } from './samples.fixture.js';
import { reconciled } from './third-party.fixture.js';

const strict = createCodec({ unknownFields: 'reject' });

function issuesOf(value: unknown, codec: TerminationCodec<Ending> = createCodec()): readonly ValueIssue[] {
  const result = codec.safeDecode(JSON.stringify(value));
  return result.ok ? [] : result.issues;
}

const child = { name: 'c', path: 'c' };

describe('issues name the place and what was expected', () => {
  it.each<readonly [string, unknown, readonly ValueIssue[]]>([
    [
      'a wrong type',
      { kind: 'tool_called', tool: 5 },
      [{ code: 'invalid', path: 'tool', message: 'expected a string, found 5' }],
    ],
    [
      'null in place of a value',
      { kind: 'tool_called', tool: null },
      [{ code: 'invalid', path: 'tool', message: 'expected a string, found null' }],
    ],
    [
      'null in place of an optional value',
      { kind: 'skipped', reason: null },
      [{ code: 'invalid', path: 'reason', message: 'expected a string, found null' }],
    ],
    [
      'a missing field',
      { kind: 'tool_called' },
      [{ code: 'missing', path: 'tool', message: 'missing, expected a string' }],
    ],
    [
      'a negative limit',
      { kind: 'token_budget', limit: -1, used: 0 },
      [{ code: 'invalid', path: 'limit', message: 'expected a whole number above 0, found -1' }],
    ],
    [
      'a limit of zero',
      { kind: 'token_budget', limit: 0, used: 0 },
      [{ code: 'invalid', path: 'limit', message: 'expected a whole number above 0, found 0' }],
    ],
    [
      'a limit beyond exact numbers',
      { kind: 'token_budget', limit: 2 ** 53, used: 0 },
      [{ code: 'invalid', path: 'limit', message: 'expected a whole number above 0, found 9007199254740992' }],
    ],
    [
      'a long text where it does not belong',
      { kind: 'token_budget', limit: 'x'.repeat(500), used: 0 },
      [{ code: 'invalid', path: 'limit', message: `expected a whole number above 0, found "${'x'.repeat(40)}…"` }],
    ],
    [
      'several problems',
      { kind: 'max_iterations', limit: [], unit: 'lap' },
      [
        { code: 'invalid', path: 'limit', message: 'expected a whole number above 0, found a list' },
        { code: 'missing', path: 'used', message: 'missing, expected a whole number of 0 or more' },
        { code: 'invalid', path: 'unit', message: 'expected one of iteration, round, turn, step, found "lap"' },
      ],
    ],
    [
      'an unknown kind that is nearly a known one',
      { kind: 'max_iteration', limit: 1 },
      [
        {
          code: 'unknown_kind',
          path: 'kind',
          message: 'unknown kind "max_iteration" (did you mean "max_iterations"?)',
        },
      ],
    ],
    [
      'an unknown kind',
      { kind: 'app.reconciled' },
      [{ code: 'unknown_kind', path: 'kind', message: 'unknown kind "app.reconciled"' }],
    ],
    [
      'a kind that is no text',
      { kind: 5 },
      [{ code: 'invalid', path: 'kind', message: 'expected the kind of a termination, found 5' }],
    ],
    [
      'no kind',
      { limit: 5 },
      [{ code: 'missing', path: 'kind', message: 'missing, expected the kind of a termination' }],
    ],
    ['a list', [1], [{ code: 'invalid', path: '', message: 'expected a termination, found a list' }]],
    ['null', null, [{ code: 'invalid', path: '', message: 'expected a termination, found null' }]],
    [
      'a problem in an element of a list',
      { kind: 'loop_detected', cycle: [{ tool: 'a' }, { input: 1 }, 'b'], repeats: 2 },
      [
        { code: 'missing', path: 'cycle[1].tool', message: 'missing, expected a string' },
        { code: 'invalid', path: 'cycle[2]', message: 'expected an object, found "b"' },
      ],
    ],
    [
      'a problem in the causes of an error',
      {
        ...samples.failed,
        error: { name: 'E', message: 'm', cause: { name: 'E', message: 'm', errors: [{ name: 'E' }] } },
      },
      [{ code: 'missing', path: 'error.cause.errors[0].message', message: 'missing, expected a string' }],
    ],
    [
      'a problem in the ending of a child',
      {
        kind: 'child_failed',
        child,
        termination: { kind: 'child_failed', child: { name: 'c' }, termination: { kind: 'nope' } },
      },
      [
        { code: 'missing', path: 'termination.child.path', message: 'missing, expected a string' },
        { code: 'unknown_kind', path: 'termination.termination.kind', message: 'unknown kind "nope"' },
      ],
    ],
    [
      'a problem in the ending of another child',
      {
        ...samples.child_failed,
        others: [
          { child, termination: samples.natural_end },
          { child, termination: { kind: 'token_budget', limit: 0, used: 0 } },
        ],
      },
      [{ code: 'invalid', path: 'others[1].termination.limit', message: 'expected a whole number above 0, found 0' }],
    ],
    [
      'a problem in what cancelled a child',
      { kind: 'cancelled', by: 'parent', cause: { kind: 'tool_called' } },
      [{ code: 'missing', path: 'cause.tool', message: 'missing, expected a string' }],
    ],
    [
      'a wrong note of what was cut',
      { kind: 'natural_end', cut: ['ok', 5] },
      [{ code: 'invalid', path: 'cut[1]', message: 'expected a string, found 5' }],
    ],
  ])('%s', (_, value, issues) => {
    expect(issuesOf(value)).toEqual(issues);
  });

  it('in the fields of third-party kinds too, also inside a child', () => {
    const codec = createCodec({ registry: createRegistry([reconciled]) });
    const wrong = { kind: 'billing.reconciled', findings: 1, notes: ['a', 5] };
    const issue = { code: 'invalid', message: expect.stringContaining('string') };
    expect(issuesOf(wrong, codec)).toEqual([{ ...issue, path: 'notes[1]' }]);
    expect(issuesOf({ kind: 'child_failed', child, termination: wrong }, codec)).toEqual([
      { ...issue, path: 'termination.notes[1]' },
    ]);
  });

  it('and stop at a hundred, however many there are', () => {
    expect(issuesOf({ kind: 'criteria_met', criteria: Array(50_000).fill(0) })).toHaveLength(100);
  });
});

describe('fields that a kind does not have', () => {
  const extended = { ...samples.max_tool_calls, since: '2.0', used_before: 3 };

  it('are kept by default', () => {
    expect(decode(JSON.stringify(extended))).toStrictEqual(extended);
  });

  it('are rejected on request, with a suggestion', () => {
    expect(issuesOf({ ...samples.max_tool_calls, limits: 2, by: 'x' }, strict)).toEqual([
      { code: 'unknown_field', path: 'limits', message: 'unknown field (did you mean "limit"?)' },
      { code: 'unknown_field', path: 'by', message: 'unknown field' },
    ]);
  });

  it('are rejected on request inside lists, errors and children too', () => {
    expect(issuesOf({ kind: 'loop_detected', cycle: [{ tool: 'a', args: 1 }], repeats: 2 }, strict)).toEqual([
      { code: 'unknown_field', path: 'cycle[0].args', message: 'unknown field' },
    ]);
    expect(issuesOf({ ...samples.failed, error: { name: '', message: '', status: 5 } }, strict)).toEqual([
      { code: 'unknown_field', path: 'error.status', message: 'unknown field' },
    ]);
    expect(issuesOf({ kind: 'child_failed', child, termination: { kind: 'natural_end', at: 1 } }, strict)).toEqual([
      { code: 'unknown_field', path: 'termination.at', message: 'unknown field' },
    ]);
  });

  it('are never looked for in the user’s own data', () => {
    const own = { ...samples.custom, properties: { limit: 0, kind: 'nope', cut: 5, nested: { anything: true } } };
    expect(issuesOf(own, strict)).toEqual([]);
  });

  it('do not include the note of what was cut', () => {
    expect(issuesOf({ ...samples.max_tool_calls, cut: ['x: cut from 9 characters'] }, strict)).toEqual([]);
  });
});
