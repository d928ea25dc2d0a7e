import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { terminations } from '../termination/terminations.js';
import { describeDialect } from './dialect-suite.fixture.js';
import { exAthena, exAthenaCategory, exAthenaIsError, exAthenaIsSuccess, exAthenaSubtypes } from './exathena.js';

describeDialect(exAthena, [
  { value: 'stop', termination: { kind: 'natural_end' }, unknown: [] },
  { value: 'submitted', termination: { kind: 'submitted' }, unknown: ['tool'] },
  { value: 'error_max_turns', termination: { kind: 'max_iterations', unit: 'turn' }, unknown: ['limit', 'used'] },
  { value: 'error_max_budget_usd', termination: { kind: 'cost_budget' }, unknown: ['limitUsd', 'usedUsd'] },
  {
    value: 'error_during_execution',
    termination: { kind: 'failed' },
    unknown: ['error', 'origin', 'errorClass'],
  },
  {
    value: 'error_max_structured_output_retries',
    termination: { kind: 'structured_output_exhausted' },
    unknown: ['attempts', 'violations'],
  },
  {
    value: 'error_consecutive_mistakes',
    termination: { kind: 'consecutive_mistakes' },
    unknown: ['limit', 'used', 'lastMistake'],
  },
  { value: 'error_halted', termination: { kind: 'halted' }, unknown: ['by', 'reason'] },
  { value: 'error_compaction_failed', termination: { kind: 'compaction_failed' }, unknown: ['stage', 'error'] },
  { value: 'error_prompt_too_long', termination: { kind: 'prompt_too_long' }, unknown: [] },
  { value: 'error_no_progress', termination: { kind: 'no_progress' }, unknown: ['limit', 'used', 'snapshot'] },
  {
    value: 'error_schema_validation',
    termination: { kind: 'schema_validation' },
    unknown: ['violations', 'received'],
  },
  { value: 'error_provider_auth', termination: { kind: 'provider_auth' }, unknown: ['provider'] },
  {
    value: 'error_thinking_starved',
    termination: { kind: 'output_truncated', reason: 'thinking_starved' },
    unknown: [],
  },
]);

describe('ExAthena', () => {
  it('lists its fourteen subtypes in its own order', () => {
    expect(exAthenaSubtypes).toEqual(exAthena.words.map((word) => word.word));
    expect(exAthenaSubtypes).toHaveLength(14);
  });

  it.each([
    ['success', ['stop', 'submitted']],
    ['retryable', ['error_during_execution', 'error_schema_validation']],
    [
      'capacity',
      [
        'error_max_turns',
        'error_max_budget_usd',
        'error_max_structured_output_retries',
        'error_consecutive_mistakes',
        'error_prompt_too_long',
        'error_no_progress',
        'error_thinking_starved',
      ],
    ],
    ['fatal', ['error_halted', 'error_compaction_failed', 'error_provider_auth']],
  ] as const)('has the category %s for %j and nothing else', (category, subtypes) => {
    expect(exAthenaSubtypes.filter((subtype) => exAthenaCategory(subtype) === category)).toEqual(subtypes);
  });

  it('has no category for an unknown word', () => {
    expect(() => exAthenaCategory('error_max_turn')).toThrow('did you mean "error_max_turns"?');
    expect(() => exAthenaCategory('toString')).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
  });

  it('calls everything an error that is not a success, unknown values included', () => {
    expect(exAthenaSubtypes.filter(exAthenaIsSuccess)).toEqual(['stop', 'submitted']);
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...exAthenaSubtypes), fc.anything()), (value) => {
        expect(exAthenaIsError(value)).toBe(!exAthenaIsSuccess(value));
      }),
    );
    expect(exAthenaIsError('no such word')).toBe(true);
  });

  it('says only the word, and names all evidence as lost', () => {
    expect(exAthena.encode({ kind: 'max_iterations', limit: 25, used: 25, unit: 'step' })).toEqual({
      value: 'error_max_turns',
      fidelity: 'word',
      lost: ['limit', 'used', 'unit'],
    });
    expect(exAthena.encode({ kind: 'max_iterations', limit: 25, used: 25, unit: 'turn' }).lost).toEqual([
      'limit',
      'used',
    ]);
  });

  it('carries other successes as stop and other errors as error_during_execution, and has no word for the rest', () => {
    expect(exAthena.encode(terminations.noRoute({ step: 'triage', output: {} }))).toEqual({
      value: 'error_during_execution',
      fidelity: 'none',
      lost: ['kind', 'step', 'output'],
    });
    expect(exAthena.encode(terminations.toolCalled({ tool: 'finish' })).value).toBe('stop');
    expect(exAthena.encode(terminations.cancelled({ by: 'caller' })).value).toBeNull();
  });
});
