import { checkOptions, invalidOption, someText, wholeLimit } from '../../stop/check-option.js';
import type { StopCondition } from '../../stop/condition.js';
import { stopConditionsToJson } from '../../stop/condition-json.js';
import { checkConditions } from '../../stop/resume-conditions.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import { frozenCopy } from '../frozen.js';
import { normalise } from '../unit/normalise.js';
import { type ConvergenceBudgets, readBudgets } from './budgets.js';

// The contract of what a resume may change inside a run. An agent and a convergence take their own part; a pipeline and a
// workflow pass both on, to the unit that ended or to the one at a path. Limits and deadlines are the business of the run.

/** The changes that a resume can make to an agent. */
export interface AgentChanges<TKind extends string = string> {
  /** Conditions that hold from now on: one of the same name replaces, a new one is appended. */
  readonly stopWhen?: readonly StopCondition<TKind>[];
  /** Conditions to leave out, by name. */
  readonly without?: readonly string[];
  /** A message to the model before it continues. */
  readonly guidance?: string;
  /** Settings of the model that hold from now on: a higher cap for answers that were cut off. */
  readonly settings?: { readonly maxOutputTokens?: number };
  /** How often the model may correct an output that does not fit, as a total of the run. */
  readonly repair?: number;
}

/** The changes that a resume can make to a convergence. */
export interface ConvergenceChanges {
  /** Larger budgets; counters continue, so each is the total. */
  readonly budgets?: ConvergenceBudgets;
  /** Facts to add before it continues. */
  readonly facts?: readonly { readonly key: string; readonly payload: JsonValue }[];
  /** References that a person has settled, for criteria that were blocked. */
  readonly settled?: readonly string[];
  /** A remark on what was settled. */
  readonly note?: string;
}

export interface ResumeChanges extends AgentChanges, ConvergenceChanges {}

/** The changes as the journal holds them: in the entry that opens the segment. */
export interface JournalledChanges {
  /** The path of the unit that is meant; the run itself unless given. */
  readonly at?: string;
  readonly stopWhen?: readonly JsonObject[];
  readonly without?: readonly string[];
  readonly guidance?: string;
  readonly settings?: { readonly maxOutputTokens?: number };
  readonly repair?: number;
  readonly budgets?: ConvergenceBudgets;
  readonly facts?: readonly { readonly key: string; readonly payload: JsonValue }[];
  readonly settled?: { readonly refs: readonly string[]; readonly note?: string; readonly by?: string };
  /** These are for the workflow at the path. */
  readonly maxIterations?: number;
  readonly budgetUsd?: number;
  /** Holds for every workflow of the run, whatever the path. */
  readonly skipGates?: boolean;
  /** Changes for other places than this one. */
  readonly others?: readonly JournalledChanges[];
}

/** Refuses changes that mean nothing, whatever the run is. */
export function checkChanges(changes: ResumeChanges): void {
  const { stopWhen, without, guidance, settings, repair, budgets, facts, settled, note } = changes;
  const builder = 'resume';
  if (settings !== undefined) checkSettings(settings);
  if (repair !== undefined) wholeLimit(repair, { builder, option: 'repair' });
  if (stopWhen !== undefined) checkConditions(stopWhen);
  if (without !== undefined && !isListOfTexts(without))
    throw invalidOption(without, { builder, option: 'without' }, 'a list of names of stop conditions');
  if (guidance !== undefined) someText(guidance, { builder, option: 'guidance' });
  if (budgets !== undefined) readBudgets(budgets);
  if (facts !== undefined && !(Array.isArray(facts) && facts.every(isFact)))
    throw invalidOption(facts, { builder, option: 'facts' }, 'a list of facts, as fact(key, payload) makes them');
  if (settled !== undefined && !isListOfTexts(settled))
    throw invalidOption(settled, { builder, option: 'settled' }, 'a list of references');
  if (note !== undefined) someText(note, { builder, option: 'note' });
  if (note !== undefined && settled === undefined)
    throw new FullstopError('INVALID_OPTION', 'resume: a note needs what it settles; name it in settled: [ref].');
}

/** Writes changes for the journal; empty without any. The code of custom conditions is not in it. */
export function writeChanges(
  { stopWhen, without, guidance, settings, repair, budgets, facts, settled, note }: ResumeChanges,
  by: string | undefined,
): JsonObject {
  const changes = {
    ...(stopWhen !== undefined && { stopWhen: stopConditionsToJson(stopWhen) }),
    ...(without !== undefined && { without }),
    ...(guidance !== undefined && { guidance }),
    ...(settings !== undefined && { settings }),
    ...(repair !== undefined && { repair }),
    ...(budgets !== undefined && { budgets }),
    ...(facts !== undefined && { facts }),
    ...(settled !== undefined && { settled: { refs: settled, note, by } }),
  };
  // A copy: the caller may change what the facts were made of.
  return frozenCopy(normalise(changes)) as JsonObject;
}

/**
 * The changes in the options of a segment that are meant for the unit at a path. Changes without a path are meant for the
 * run itself.
 */
export function readChanges(options: JsonObject, path: string, isRun: boolean = path === ''): JournalledChanges {
  const changes = isObject(options['changes']) ? (options['changes'] as JournalledChanges) : {};
  const isMeant = ({ at }: JournalledChanges): boolean => (at === undefined ? isRun : at === path);
  return [changes, ...(changes.others ?? [])].find(isMeant) ?? {};
}

function checkSettings(settings: NonNullable<AgentChanges['settings']>): void {
  const builder = 'resume: settings';
  const { maxOutputTokens } = checkOptions(settings, builder, ['maxOutputTokens']);
  if (maxOutputTokens !== undefined) wholeLimit(maxOutputTokens, { builder, option: 'maxOutputTokens' });
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isFact(fact: unknown): boolean {
  return isObject(fact) && typeof fact['key'] === 'string' && 'payload' in fact;
}
