import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describe as sentenceFor } from '../termination/classify.js';
import { defineTermination } from '../termination/define-termination.js';
import type { JsonValue } from '../termination/json.js';
import { createRegistry } from '../termination/registry.js';
import { terminations } from '../termination/terminations.js';
import type { ForeignTermination } from './dialect.js';
import { describeDialect, type Golden } from './dialect-suite.fixture.js';
import { tireaA, tireaB } from './tirea.js';

const stop = (value: JsonValue): JsonValue => ({ type: 'stopped', value });

interface Spelling {
  readonly a: JsonValue;
  readonly b: JsonValue;
  /** Other spellings, which are only read. */
  readonly others?: readonly JsonValue[];
  readonly termination: ForeignTermination;
  readonly unknown: readonly string[];
}

/** Every meaning that both generations can write, in both spellings. */
const spellings: readonly Spelling[] = [
  { a: { type: 'natural_end' }, b: { type: 'natural_end' }, termination: { kind: 'natural_end' }, unknown: [] },
  {
    a: { type: 'plugin_requested' },
    b: { type: 'behavior_requested' },
    termination: { kind: 'plugin_requested' },
    unknown: ['plugin'],
  },
  {
    a: stop({ type: 'max_rounds_reached' }),
    b: stop({ code: 'max_rounds_reached' }),
    others: [stop({ code: 'max_rounds', detail: 'more than 16 rounds' })],
    termination: { kind: 'max_iterations', unit: 'round' },
    unknown: ['limit', 'used'],
  },
  {
    a: stop({ type: 'timeout_reached' }),
    b: stop({ code: 'timeout_reached' }),
    others: [stop({ code: 'timeout', detail: 'took over 30 s' })],
    termination: { kind: 'time_budget', scope: 'run' },
    unknown: ['limitMs', 'elapsedMs'],
  },
  {
    a: stop({ type: 'token_budget_exceeded' }),
    b: stop({ code: 'token_budget_exceeded' }),
    others: [stop({ code: 'token_budget', detail: 'over 9000' })],
    termination: { kind: 'token_budget' },
    unknown: ['limit', 'used'],
  },
  {
    a: stop({ type: 'tool_called', value: 'finish' }),
    b: stop({ code: 'tool_called', detail: 'finish' }),
    termination: { kind: 'tool_called', tool: 'finish' },
    unknown: [],
  },
  {
    a: stop({ type: 'content_matched', value: 'DONE' }),
    b: stop({ code: 'content_matched', detail: 'DONE' }),
    termination: { kind: 'content_matched', pattern: 'DONE' },
    unknown: [],
  },
  {
    a: stop({ type: 'consecutive_errors_exceeded' }),
    b: stop({ code: 'consecutive_errors_exceeded' }),
    others: [stop({ code: 'consecutive_errors', detail: '3 in a row' })],
    termination: { kind: 'consecutive_errors' },
    unknown: ['limit', 'used', 'lastError'],
  },
  {
    a: stop({ type: 'loop_detected' }),
    b: stop({ code: 'loop_detected' }),
    termination: { kind: 'loop_detected' },
    unknown: ['cycle', 'repeats'],
  },
  {
    a: stop({ type: 'custom', value: 'quota used up' }),
    b: stop({ code: 'custom', detail: 'quota used up' }),
    termination: { kind: 'custom', reason: 'quota used up' },
    unknown: ['category'],
  },
  { a: { type: 'cancelled' }, b: { type: 'cancelled' }, termination: { kind: 'cancelled' }, unknown: ['by'] },
  {
    a: { type: 'pending_interaction' },
    b: { type: 'suspended' },
    termination: { kind: 'interaction_pending' },
    unknown: ['requests'],
  },
  {
    a: { type: 'error' },
    b: { type: 'error' },
    termination: { kind: 'failed' },
    unknown: ['error', 'origin', 'errorClass'],
  },
];

function goldensOf(generation: 'a' | 'b'): readonly Golden[] {
  return spellings.flatMap(({ a, b, others = [], termination, unknown }) => {
    const canonical = generation === 'a' ? a : b;
    return [a, b, ...others].map((value) => ({ value, canonical, termination, unknown }));
  });
}

const message = { kind: 'failed', error: { message: 'model down' } } as const;
const quota = { kind: 'custom', tag: 'quota', reason: 'no more calls today' } as const;
const blocked = { kind: 'halted', reason: 'not on production' } as const;

describeDialect(tireaA, [
  ...goldensOf('a'),
  {
    value: { type: 'error', value: 'model down' },
    termination: message,
    unknown: ['error.name', 'origin', 'errorClass'],
    canonical: { type: 'error' },
    lost: ['error.message'],
  },
  {
    value: stop({ code: 'quota', detail: 'no more calls today' }),
    termination: quota,
    unknown: ['category'],
    canonical: stop({ type: 'custom', value: 'no more calls today' }),
    lost: ['tag'],
  },
  {
    value: { type: 'blocked', value: 'not on production' },
    termination: blocked,
    unknown: ['by'],
    canonical: stop({ type: 'custom', value: 'halted' }),
    lost: ['kind', 'reason'],
  },
]);

describeDialect(tireaB, [
  ...goldensOf('b'),
  {
    value: { type: 'error', value: 'model down' },
    termination: message,
    unknown: ['error.name', 'origin', 'errorClass'],
  },
  { value: stop({ code: 'quota', detail: 'no more calls today' }), termination: quota, unknown: ['category'] },
  {
    value: stop({ code: 'quota' }),
    termination: { kind: 'custom', tag: 'quota' },
    unknown: ['reason', 'category'],
  },
  {
    value: { type: 'blocked', value: 'not on production' },
    termination: blocked,
    unknown: ['by'],
    canonical: stop({ code: 'halted', detail: 'not on production' }),
    lost: ['kind', 'reason'],
  },
]);

describe('Tirea', () => {
  it.each([
    { type: 'stopped' },
    { type: 'stopped', value: 'max_rounds_reached' },
    { type: 'stopped', value: {} },
    { type: 'stopped:loop_detected' },
    stop({ type: 'no_such_reason' }),
    stop({ type: 'tool_called', value: 3 }),
    { type: 'error', value: { message: 'boom' } },
  ])('refuses %j in every generation', (value) => {
    for (const dialect of [tireaA, tireaB]) {
      expect(() => dialect.decode(value)).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
    }
  });

  it('does not write a tag as a code that means something else', () => {
    const misleading = terminations.custom({ reason: 'odd', category: 'fatal', tag: 'loop_detected' });
    const written = tireaB.encode(misleading);
    expect(written.value).toEqual(stop({ code: 'custom', detail: 'odd' }));
    expect(written.lost).toEqual(['category', 'tag']);
  });

  it('carries kinds that it does not have by its general words', () => {
    const spent = terminations.costBudget({ limitUsd: 2, usedUsd: 2.5 });
    expect(tireaA.encode(spent).value).toEqual(stop({ type: 'custom', value: 'cost_budget' }));
    expect(tireaB.encode(spent)).toEqual({
      value: stop({ code: 'cost_budget', detail: sentenceFor(spent) }),
      fidelity: 'none',
      lost: ['kind', 'limitUsd', 'usedUsd'],
    });
    const lost = terminations.noRoute({ step: 'triage', output: null });
    expect(tireaA.encode(lost).value).toEqual({ type: 'error' });
    expect(tireaB.encode(lost).value).toEqual({ type: 'error', value: sentenceFor(lost) });
    const waiting = terminations.humanInterventionRequired({ criteria: ['legal'], approvalRefs: [] });
    expect(tireaA.encode(waiting).value).toEqual({ type: 'pending_interaction' });
    expect(tireaB.encode(waiting).value).toEqual({ type: 'suspended' });
  });

  it('prefers a registered third-party kind to a custom code', () => {
    const throttled = defineTermination({
      kind: 'billing.throttled',
      schema: z.object({}),
      family: 'limit',
      category: 'capacity',
      dialects: { 'tirea-b': 'stopped:throttled' },
    });
    const registry = createRegistry([throttled]);
    const value = stop({ code: 'throttled' });
    expect(tireaB.encode(throttled(), { registry })).toEqual({ value, fidelity: 'full', lost: [] });
    expect(tireaB.decode(value, { registry }).termination).toEqual(throttled());
    expect(tireaB.decode(value).termination).toEqual({ kind: 'custom', tag: 'throttled' });
  });
});
