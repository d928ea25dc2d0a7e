import type { JournalEntry } from 'fullstop/journal';
import { describe, expect, it } from 'vitest';
import { unitTree } from '../journal/unit-tree.js';
import { runningSteps } from './running-steps.js';

interface Draft {
  readonly type: string;
  readonly scope?: string;
  readonly key?: string;
  /** The beginning and the ending of a unit have the same. */
  readonly ordinal?: number;
  readonly data: object;
}

/** The units at work at the end of a journal with these entries. */
function runningIn(...drafts: readonly Draft[]): readonly string[] {
  const started = { type: 'run_started', data: { name: 'w', version: '1' } };
  const entries = [started, ...drafts].map((draft, index) => ({
    runId: 'r',
    segment: 1,
    seq: index + 1,
    scope: '',
    ordinal: index,
    at: index,
    ...draft,
  }));
  return runningSteps(unitTree(entries as unknown as readonly JournalEntry[]));
}

const ordinalOf = (name: string): number => 100 + name.charCodeAt(0);
const begun = (step: string, more: object = {}): Draft => ({
  type: 'observed',
  data: { type: 'step_started', step, kind: 'script', ...more },
});
const routed = (from: string): Draft => ({
  type: 'observed',
  data: { type: 'route', from, to: 'x', iterations: 1, limit: 9 },
});
const done = (key: string): Draft => ({ type: 'step_ended', key, data: { ok: true, attempts: 1, value: {} } });
const opened = (name: string, scope = ''): Draft => ({
  type: 'scope_opened',
  scope,
  key: name,
  ordinal: ordinalOf(name),
  data: { name, attempt: 1 },
});
const ended = (name: string, kind: string): Draft => ({
  type: 'unit_ended',
  key: name,
  ordinal: ordinalOf(name),
  data: { termination: kind === 'cancelled' ? { kind, by: 'parent' } : { kind } },
});

describe('runningSteps', () => {
  it('names a step without a unit of its own', () => {
    expect(runningIn(begun('slow'))).toEqual(['slow']);
    expect(runningIn(begun('first'), done('script:first'), routed('first'), begun('second'))).toEqual(['second']);
  });

  it('names nothing where the last step is done', () => {
    expect(runningIn()).toEqual([]);
    expect(runningIn(begun('first'), done('script:first'), routed('first'))).toEqual([]);
  });

  it('names the members of a group that are not done', () => {
    const group = begun('both', { kind: 'parallel', members: [{ name: 'quick' }, { name: 'slow' }] });
    expect(runningIn(group, done('script:both.quick'))).toEqual(['both.slow']);
    expect(runningIn(group)).toEqual(['both.quick', 'both.slow']);
  });

  it('names the innermost units that were cut off or have no ending, and no others', () => {
    expect(runningIn(begun('a', { kind: 'agent' }), opened('a'), ended('a', 'cancelled'))).toEqual(['a']);
    expect(runningIn(opened('outer'), opened('inner', 'outer'))).toEqual(['outer/inner']);
    expect(runningIn(opened('a'), ended('a', 'natural_end'), opened('b'))).toEqual(['b']);
  });
});
