import type { Category, Outcome } from 'fullstop';
import type { RunFilter, RunState } from 'fullstop/engine';
import type { OptionTable, OptionValues } from '../command-line/option.js';
import { milliseconds } from '../command-line/read-duration.js';
import { UsageError } from '../command-line/usage-error.js';

const categories: readonly Category[] = ['success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal'];
const outcomes: readonly Outcome[] = ['succeeded', 'skipped', 'paused', 'cancelled', 'failed'];
const states: readonly RunState[] = ['ready', 'running', 'parked', 'ended'];

/** The options by which commands choose among runs. */
export const runFilterOptions = {
  kind: { type: 'text', value: 'KIND', about: 'Only runs that ended so, such as max_iterations or app.reconciled' },
  category: {
    type: 'text',
    value: 'CATEGORY',
    choices: categories,
    about: `Only runs of a category: ${categories.join(', ')}`,
  },
  outcome: {
    type: 'text',
    value: 'OUTCOME',
    choices: outcomes,
    about: `Only runs of an outcome: ${outcomes.join(', ')}`,
  },
  state: { type: 'text', value: 'STATE', choices: states, about: `Only runs in a state: ${states.join(', ')}` },
  workflow: { type: 'text', value: 'NAME', short: 'w', about: 'Only runs of this workflow, agent or pipeline' },
  conversation: { type: 'text', value: 'ID', about: 'Only the turns of this conversation' },
  since: {
    type: 'text',
    value: 'AGE',
    about: 'Only runs that started within this time, such as 2h or 7d, or after a date',
  },
  until: { type: 'text', value: 'AGE', about: 'Only runs that started before this long ago, or before a date' },
  search: { type: 'text', value: 'TEXT', short: 's', about: 'Only runs with this text in id, name, kind or summary' },
} as const satisfies OptionTable;

/** Every run. */
export const noFilter: OptionValues<typeof runFilterOptions> = {
  kind: undefined,
  category: undefined,
  outcome: undefined,
  state: undefined,
  workflow: undefined,
  conversation: undefined,
  since: undefined,
  until: undefined,
  search: undefined,
};

/** The filter of an engine that the options ask for. */
export function runFilter(options: OptionValues<typeof runFilterOptions>, now: number): RunFilter {
  const { kind, category, outcome, state, workflow, conversation, since, until, search } = options;
  return {
    ...(kind !== undefined && { kind }),
    ...(category !== undefined && { category: category as Category }),
    ...(outcome !== undefined && { outcome: outcome as Outcome }),
    ...(state !== undefined && { state: state as RunState }),
    ...(workflow !== undefined && { name: workflow }),
    ...(conversation !== undefined && { conversation }),
    ...(since !== undefined && { startedAfter: instant(since, '--since', now) }),
    ...(until !== undefined && { startedBefore: instant(until, '--until', now) }),
    ...(search !== undefined && { text: search }),
  };
}

/** An age before now, or a date. */
export function instant(text: string, option: string, now: number): number {
  const age = milliseconds(text);
  if (age !== undefined) return now - age;
  const date = Date.parse(text);
  if (Number.isNaN(date))
    throw new UsageError(
      `${option} needs an age such as 2h or 7d, or a date such as 2026-11-01, not ${JSON.stringify(text)}.`,
    );
  return date;
}
