import type { EntryDraft } from 'fullstop/journal';
import { describe, expect, it } from 'vitest';
import { makeStyle } from '../terminal/style.js';
import { RunProgress } from './run-progress.js';

const draft = (type: string, data: object, rest: Partial<EntryDraft> = {}): EntryDraft =>
  ({ type, scope: '', ordinal: 0, at: 1000, data, ...rest }) as EntryDraft;

function linesOf(entries: readonly EntryDraft[]): readonly string[] {
  const progress = new RunProgress(makeStyle(false), { now: () => 1000 });
  return entries.flatMap((entry) => progress.take(entry)).map((line) => line.replace(/ +/g, ' ').trim());
}

describe('RunProgress', () => {
  it('shows each step of a workflow once it is over, with time, tokens and cost', () => {
    expect(
      linesOf([
        draft('observed', { type: 'step_started', step: 'classify', kind: 'agent', iteration: 1 }),
        draft('scope_opened', { name: 'classify', attempt: 1 }, { key: 'classify' }),
        draft(
          'step_ended',
          { ok: true, attempts: 1, charge: { inputTokens: 800, outputTokens: 40, costUsd: 0.002 } },
          { scope: 'classify', key: 'model:1', at: 2100 },
        ),
        draft('unit_ended', { termination: { kind: 'natural_end' } }, { key: 'classify', at: 2200 }),
        draft('step_ended', { ok: true, attempts: 1 }, { key: 'script:fetch_order', at: 2300 }),
        draft(
          'observed',
          { type: 'terminated', step: 'refund', status: 'failed', reason: 'order is older than 90 days' },
          { at: 2300 },
        ),
      ]),
    ).toEqual([
      '✓ classify agent · natural_end 1.2s 840 tok $0.002',
      '✓ fetch_order script 0.1s',
      '✗ refund terminate · failed order is older than 90 days',
    ]);
  });

  it('shows what fails, and units inside units further in', () => {
    const progress = new RunProgress(makeStyle(false), { now: () => 1000 });
    const lines = [
      draft(
        'step_ended',
        { ok: false, attempts: 1, error: { name: 'Error', message: 'no such file' } },
        { key: 'script:build' },
      ),
      draft('unit_ended', { termination: { kind: 'app.overloaded', load: 9 } }, { scope: 'group', key: 'member' }),
    ].flatMap((entry) => progress.take(entry));
    expect(lines[0]).toContain('✗ build');
    expect(lines[0]).toContain('no such file');
    expect(lines[1]).toMatch(/^ {4}• member/);
    expect(lines[1]).toContain('app.overloaded');
  });

  it('shows an explicit end that could not be made', () => {
    const failed = { type: 'terminate_failed', step: 'halt', stage: 'output', error: 'TemplateError', message: 'no x' };
    expect(linesOf([draft('observed', failed)])).toEqual(['✗ halt terminate no x']);
  });

  it('shows the failure of a step that only computes, which is in its value', () => {
    const problem = { error: { name: 'TemplateError', message: "'nope' is undefined" }, errorClass: 'configuration' };
    const [line] = linesOf([draft('recorded', { ok: true, attempts: 1, value: { problem } }, { key: 'set:total' })]);
    expect(line).toBe("✗ total set 'nope' is undefined");
  });

  it('says what is happening right now', () => {
    const progress = new RunProgress(makeStyle(false), { now: () => 1000 });
    expect(progress.status()).toBe('running  0.0s');
    progress.take(draft('scope_opened', { name: 'research', attempt: 1 }));
    expect(progress.status()).toBe('research  0.0s');
    progress.take(draft('unit_ended', { termination: { kind: 'natural_end' } }, { key: 'research' }));
    expect(progress.status()).toBe('running  0.0s');
  });

  it('keeps to itself what is no step', () => {
    expect(
      linesOf([
        draft('recorded', { ok: true, attempts: 1 }, { key: 'route:x' }),
        draft('run_started', { name: 'n', version: '1' }),
      ]),
    ).toEqual([]);
  });

  it('makes room for the names of the file and knows what they are', () => {
    const kinds = new Map([
      ['research.optimist', 'agent'],
      ['approval', 'human_gate'],
    ]);
    const progress = new RunProgress(makeStyle(false), { now: () => 1000, kinds });
    const ended = (key: string, kind: string): EntryDraft => draft('unit_ended', { termination: { kind } }, { key });
    expect(progress.take(ended('research.optimist', 'natural_end'))).toEqual([
      '  ✓ research.optimist agent · natural_end            0.0s',
    ]);
    expect(progress.take(ended('approval', 'flow_completed'))).toEqual([
      '  ✓ approval          human_gate                     0.0s',
    ]);
  });

  it('keeps to a narrow screen, where names lose their middle and notes their end', () => {
    const progress = new RunProgress(makeStyle(false), { now: () => 1000, columns: () => 44 });
    const lines = [
      draft('observed', { type: 'step_started', step: 'both_of_them_at_once', kind: 'parallel', members: [{}, {}] }),
      draft('step_ended', { ok: true, attempts: 1 }, { key: 'script:both_of_them_at_once.left_member', at: 2100 }),
      draft('step_ended', { ok: true, attempts: 1 }, { key: 'script:both_of_them_at_once.right_member', at: 5000 }),
      draft('observed', { type: 'group_completed', step: 'both_of_them_at_once' }),
      draft(
        'step_ended',
        { ok: false, attempts: 1, error: { name: 'Error', message: 'no such file or directory anywhere' } },
        { key: 'script:gather_everything_there_is' },
      ),
    ].flatMap((entry) => progress.take(entry));
    expect(lines).toEqual([
      '  ✓ both_…eft_member script   1.1s',
      '  ✓ both_…ght_member script   4.0s',
      '  ✗ ga…re_is script no such file or directo…',
    ]);
    expect(lines.every((line) => line.length <= 44)).toBe(true);
  });

  it('names the group at work with how many of its members are done, and no time for items that may have waited', () => {
    const progress = new RunProgress(makeStyle(false), { now: () => 1000 });
    const begin = [
      draft('observed', { type: 'step_started', step: 'each', kind: 'for_each' }),
      draft('observed', { type: 'group_started', step: 'each', keys: ['0', '1', '2'] }),
      draft('step_ended', { ok: true, attempts: 1 }, { key: 'script:each[0]', at: 2000 }),
    ].flatMap((entry) => progress.take(entry));
    expect(begin[0]).toBe('  ✓ each[0]          script');
    expect(progress.status()).toBe('each 1/3  0.0s');
    const inside = progress.take(
      draft('step_ended', { ok: true, attempts: 1 }, { scope: 'each[1]', key: 'script:check' }),
    );
    expect(inside[0]).toMatch(/^ {4}✓ each\[1\]\/check +script/);
    progress.take(draft('observed', { type: 'group_completed', step: 'each' }));
    expect(progress.status()).toBe('running  0.0s');
  });
});
