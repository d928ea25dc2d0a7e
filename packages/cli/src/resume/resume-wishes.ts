import type { OptionTable, OptionValues } from '../command-line/option.js';

/** The changes that a resume may make, by the options of `fullstop resume`. */
export const resumeTable = {
  'max-iterations': { type: 'number', value: 'N', about: 'The new limit of iterations or steps, as a total' },
  'max-tool-calls': { type: 'number', value: 'N', about: 'The new limit of tool calls, as a total' },
  'max-cycles': { type: 'number', value: 'N', about: 'The new limit of cycles of a convergence, as a total' },
  'max-facts': { type: 'number', value: 'N', about: 'The new limit of facts of a convergence, as a total' },
  steps: { type: 'number', value: 'N', about: 'The new limit of steps of a unit, as a total' },
  tokens: { type: 'number', value: 'N', about: 'The new token budget, as a total' },
  cost: { type: 'number', value: 'USD', about: 'The new cost budget, as a total' },
  timeout: { type: 'text', value: 'DURATION', about: 'The new time budget, as a total of active time' },
  deadline: { type: 'list', value: 'ID=AGE', about: 'A new deadline for a request, such as review=1d' },
  settled: { type: 'list', value: 'REF', about: 'What a person has settled, for criteria of a convergence' },
  note: { type: 'text', value: 'TEXT', about: 'How it was settled' },
  without: { type: 'list', value: 'CONDITION', about: 'Leaves a stop condition out, such as loopDetection' },
  at: { type: 'text', value: 'PATH', about: 'The unit that the new limits belong to, if not the one that ended' },
  'max-output-tokens': { type: 'number', value: 'N', about: 'The new cap for an answer of the model' },
  repair: { type: 'number', value: 'N', about: 'How often an output may be corrected, as a total' },
  guidance: { type: 'text', value: 'TEXT', about: 'Guidance for the model before it continues' },
  'skip-gates': {
    type: 'flag',
    about: 'Takes the first option of every gate and the default of every question from here on',
  },
  'use-current': {
    type: 'flag',
    about: 'Uses the workflow file as it is now, if the steps that were done still exist',
  },
  by: { type: 'text', value: 'NAME', about: 'Who resumes; your user name unless given' },
} as const satisfies OptionTable;

/** The changes that someone asks of a resume, on a command line or from a page. */
export type ResumeWishes = OptionValues<typeof resumeTable>;

/** A resume without changes. */
export const noWishes: ResumeWishes = Object.fromEntries(
  Object.entries(resumeTable).map(([name, { type }]) => [name, absent(type)]),
) as ResumeWishes;

function absent(type: OptionTable[string]['type']): unknown {
  if (type === 'flag') return false;
  return type === 'list' ? [] : undefined;
}
