import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { TerminationRegistry } from '../termination/registry.js';
import { suggestion } from '../termination/text/suggestion.js';
import { type Dialect, defineDialect, type ForeignTermination, type ForeignWord } from './dialect.js';
import { outcomeOf } from './general-word.js';
import { word } from './word.js';

/** The advice to ExAthena's host: its categories have neither a pause nor a cancellation. */
export type ExAthenaCategory = 'success' | 'retryable' | 'capacity' | 'fatal';

/** How an ExAthena run can end. */
export type ExAthenaSubtype =
  | 'stop'
  | 'submitted'
  | 'error_max_turns'
  | 'error_max_budget_usd'
  | 'error_during_execution'
  | 'error_max_structured_output_retries'
  | 'error_consecutive_mistakes'
  | 'error_halted'
  | 'error_compaction_failed'
  | 'error_prompt_too_long'
  | 'error_no_progress'
  | 'error_schema_validation'
  | 'error_provider_auth'
  | 'error_thinking_starved';

/** Its own table; the order of the rows is that of its own list. */
const categories: Readonly<Record<ExAthenaSubtype, ExAthenaCategory>> = {
  stop: 'success',
  submitted: 'success',
  error_max_turns: 'capacity',
  error_max_budget_usd: 'capacity',
  error_during_execution: 'retryable',
  error_max_structured_output_retries: 'capacity',
  error_consecutive_mistakes: 'capacity',
  error_halted: 'fatal',
  error_compaction_failed: 'fatal',
  error_prompt_too_long: 'capacity',
  error_no_progress: 'capacity',
  error_schema_validation: 'retryable',
  error_provider_auth: 'fatal',
  error_thinking_starved: 'capacity',
};

/** Every subtype, in ExAthena's own order. */
export const exAthenaSubtypes: readonly ExAthenaSubtype[] = Object.keys(categories) as ExAthenaSubtype[];

const words: readonly ForeignWord[] = [
  word('stop', 'natural_end'),
  word('submitted', 'submitted', { note: 'The deliverable is beside the subtype in its result, not in it.' }),
  word('error_max_turns', 'max_iterations', { implied: { unit: 'turn' } }),
  word('error_max_budget_usd', 'cost_budget'),
  word('error_during_execution', 'failed', {
    note: 'Always retryable there; here that depends on the class of the error. Also written for errors without a subtype of their own.',
  }),
  word('error_max_structured_output_retries', 'structured_output_exhausted'),
  word('error_consecutive_mistakes', 'consecutive_mistakes'),
  word('error_halted', 'halted'),
  word('error_compaction_failed', 'compaction_failed'),
  word('error_prompt_too_long', 'prompt_too_long'),
  word('error_no_progress', 'no_progress'),
  word('error_schema_validation', 'schema_validation'),
  word('error_provider_auth', 'provider_auth'),
  word('error_thinking_starved', 'output_truncated', { implied: { reason: 'thinking_starved' } }),
];

/** ExAthena's termination subtypes: plain strings without evidence. A third-party word is written as it is. */
export const exAthena: Dialect<string> = defineDialect<string>({
  name: 'exathena',
  title: 'ExAthena',
  words,
  split: (value) => (typeof value === 'string' ? { word: value, payload: {} } : undefined),
  join: (name) => name,
  otherwise,
});

/** Its own rules too: an end without a subtype is a stop, and an unmapped error happened during execution. */
function otherwise(termination: Ending | ForeignTermination, registry: TerminationRegistry): ExAthenaSubtype | null {
  if (outcomeOf(termination, registry) === 'succeeded') return 'stop';
  return registry.find(termination.kind)?.family === 'error' ? 'error_during_execution' : null;
}

/** The category of a subtype, by ExAthena's own table. Throws `UNKNOWN_WORD` for anything else, as it does there. */
export function exAthenaCategory(subtype: string): ExAthenaCategory {
  if (isSubtype(subtype)) return categories[subtype];
  const hint = suggestion(String(subtype), exAthenaSubtypes);
  throw new FullstopError('UNKNOWN_WORD', `${JSON.stringify(subtype)} is not an ExAthena subtype${hint}.`);
}

/** True for `stop` and `submitted` only. */
export function exAthenaIsSuccess(subtype: unknown): boolean {
  return isSubtype(subtype) && categories[subtype] === 'success';
}

/** The exact negation of `exAthenaIsSuccess`: true for everything unknown too, as it is there. */
export function exAthenaIsError(subtype: unknown): boolean {
  return !exAthenaIsSuccess(subtype);
}

function isSubtype(value: unknown): value is ExAthenaSubtype {
  return typeof value === 'string' && Object.hasOwn(categories, value);
}
