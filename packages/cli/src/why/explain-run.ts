import { type AnyTermination, type Envelope, type JsonValue, type OpenRequest, rootCause } from 'fullstop';
import type { RunDamage, RunSummary } from 'fullstop/engine';
import { isWithin, type JournalEntry } from 'fullstop/journal';
import { describeEnding, evidenceOf, isKnownKind } from '../journal/describe-ending.js';
import { isObject } from '../journal/is-object.js';
import { isWorkflowRun } from '../journal/is-workflow-run.js';
import type { StepNode } from '../journal/step-node.js';
import { allUnits, type UnitNode, unitTree } from '../journal/unit-tree.js';
import { localTime, preciseTime, valueText } from '../journal/value-text.js';
import { causeChain } from './cause-chain.js';
import { countersOf } from './counters.js';
import { crossing } from './crossing.js';
import { culpritOf } from './culprit.js';
import { decisionsIn } from './decisions.js';
import { explainUnit } from './explain-unit.js';
import type { Explanation } from './explanation.js';
import { journey, stepName } from './journey.js';
import { nextActions } from './next-actions.js';
import { overdueRequests } from './overdue-requests.js';
import { explainRequest } from './request-question.js';
import { routesTo } from './routes.js';

export interface RunRecord {
  readonly summary: RunSummary;
  readonly journal: readonly JournalEntry[];
  /** The ending that stands, if there is one. */
  readonly ending: Envelope | undefined;
  readonly requests: readonly OpenRequest[];
}

/** A run of which nothing is told, because what is stored of it cannot be trusted. */
export interface DamagedRun {
  readonly summary: RunSummary;
  readonly damage: RunDamage;
}

export interface ExplainOptions {
  /** A store that was named is named in commands too. */
  readonly store?: string | undefined;
  /** The units of the journal, where they were put together before. */
  readonly root?: UnitNode;
}

/** Explains a run from its journal alone: no definition, no model and no clock is needed. */
export function explainRun(
  record: RunRecord,
  { store, root = unitTree(record.journal) }: ExplainOptions = {},
): Explanation {
  const { summary, journal, ending, requests } = record;
  const { runId, name, state, segment, startedAt } = summary;
  const culprit = culpritOf(root, ending?.termination);
  const cause = ending && rootCause(ending.termination);
  const output = lastOutput(root, ending);
  const waiting = ending === undefined || ending.category === 'paused' ? requests.map(explainRequest) : [];
  return {
    runId,
    name,
    state,
    segment,
    ...(summary.conversation !== undefined && { conversation: summary.conversation }),
    ...originOf(journal),
    ...(ending !== undefined && { ending: explainedEnding(ending) }),
    headline: ending?.summary ?? headlineOf(record),
    because: ending === undefined ? [] : [...overdueIn(ending), ...becauseOf(ending, culprit, journal)],
    counters: countersOf(culprit, cause === undefined ? [] : [cause, ...(ending?.also ?? []), ...culprit.also]),
    also: [...(ending?.also ?? []), ...(culprit === root ? [] : culprit.also)].map(describeEnding),
    did: journey(root),
    ...preparedIn(culprit),
    ...(root.children.length > 0 && { tree: explainUnit(root, pathsTo(culprit, root)) }),
    ...(output !== undefined && { lastOutput: output }),
    decided: decisionsIn(journal),
    waiting,
    ...(ending !== undefined && {
      usage: ending.usage,
      costUsd: ending.costUsd,
      ...(ending.estimated === true && { estimated: true }),
      durationMs: ending.durationMs,
      endedAt: ending.endedAt,
    }),
    startedAt,
    next: nextActions({
      summary,
      ending,
      requests,
      isWorkflow: isWorkflowRun(journal),
      isConvergence: culprit.merges.length > 0,
      store,
    }),
  };
}

/** The last of its origins is the run that was copied. */
function originOf([first]: readonly JournalEntry[]): Pick<Explanation, 'forkedFrom'> {
  const origin = first?.type === 'run_started' ? first.data.forkedFrom?.at(-1) : undefined;
  if (origin === undefined) return {};
  const { runId, at, by } = origin;
  return { forkedFrom: { runId, at, ...(by !== undefined && { by }) } };
}

function preparedIn({ steps }: UnitNode): Pick<Explanation, 'prepared'> {
  const prepared = steps.flatMap(({ key, prepared: text }) => (text === undefined ? [] : [`${key} with ${text}`]));
  return prepared.length === 0 ? {} : { prepared };
}

function explainedEnding(ending: Envelope): NonNullable<Explanation['ending']> {
  const { termination, tag, category, outcome, open, resumable } = ending;
  return { kind: termination.kind, tag, category, outcome, open, resumable, termination };
}

/** Where a run without an ending is, in one sentence. Of the journal only its sleeps are read. */
export function headlineOf({
  summary,
  requests,
  journal,
}: Pick<RunRecord, 'summary' | 'requests' | 'journal'>): string {
  const { state, updatedAt, orphaned = false, silentSince } = summary;
  const since = `since ${localTime(updatedAt)}`;
  if (orphaned) return `Its owner is gone, and nobody executes it; its last entry is from ${localTime(updatedAt)}.`;
  if (state === 'running' && silentSince !== undefined)
    return `It has an owner, of which there is no sign of life since ${localTime(silentSince)}; its last entry is from ${localTime(updatedAt)}.`;
  if (state === 'running')
    return requests.length > 0
      ? `It is running, and has been waiting for an answer ${since}.`
      : `It is running; its last entry is from ${localTime(updatedAt)}.`;
  return state === 'ready'
    ? `It has been ready to continue ${since}, and no worker has claimed it.`
    : `It has been sleeping ${since}${untilText(journal)}.`;
}

/** When the sleep that ends first is over. */
function untilText(journal: readonly JournalEntry[]): string {
  const sleeps = new Map<string, number>();
  for (const entry of journal) {
    const place = `${entry.scope} ${entry.ordinal}`;
    if (entry.type === 'sleep_started') sleeps.set(place, entry.data.until);
    if (entry.type === 'sleep_ended') sleeps.delete(place);
  }
  return sleeps.size === 0 ? '' : `, until ${preciseTime(Math.min(...sleeps.values()))}`;
}

function pathsTo(culprit: UnitNode, root: UnitNode): ReadonlySet<string> {
  if (culprit === root) return new Set();
  return new Set(allUnits(root).flatMap(({ path }) => (path !== '' && isWithin(culprit.path, path) ? [path] : [])));
}

function overdueIn(ending: Envelope): readonly string[] {
  return overdueRequests(ending).map(({ id, deadline }) => `nobody answered ${id} by ${localTime(deadline)}`);
}

/** From what happened last to the first cause. */
function becauseOf(ending: Envelope, culprit: UnitNode, journal: readonly JournalEntry[]): readonly string[] {
  const { termination } = ending;
  const chain = causeChain(termination)
    .filter(({ termination: inner }) => !isInHeadline(inner, ending.summary))
    .map(({ child, termination: inner }) => `${child.name} ended: ${describeEnding(inner)}`);
  const cancelled = cancelWords(termination, journal);
  const cause = rootCause(termination);
  const evidence = isKnownKind(cause) ? crossing(cause, culprit) : evidenceOf(cause);
  const news = evidence.filter((line) => !isSaid(line, cause, [ending.summary, ...chain]));
  return [...chain, ...news, ...routesTo(termination, culprit, journal), ...cancelled];
}

/** True for a cause that the headline names: its path has the whole chain, and its reason is the innermost cause. */
function isInHeadline(cause: AnyTermination, summary: string): boolean {
  if (cause.kind === 'child_failed') return (cause.others ?? []).length === 0;
  return cause.kind === 'failed' || summary.includes(describeEnding(cause));
}

/** True where the headline has the message of an error already, and there is nothing else to say about it. */
function isSaid(line: string, cause: AnyTermination, said: readonly string[]): boolean {
  if (cause.kind !== 'failed' || / after \d+ attempts: /.test(line)) return false;
  if (!line.endsWith(valueText(cause.error.message, 300))) return false;
  return said.some((words) => words.includes(cause.error.message));
}

function cancelWords({ kind }: AnyTermination, journal: readonly JournalEntry[]): readonly string[] {
  if (kind !== 'cancelled') return [];
  const asked = journal.findLast(
    (entry): entry is JournalEntry<'cancel_requested'> => entry.type === 'cancel_requested',
  );
  if (asked === undefined) return [];
  const { by, reason, hard } = asked.data;
  const why = reason === undefined ? '' : `: ${reason}`;
  return [`the ${by} asked for it at ${localTime(asked.at)}${hard === true ? ', without undoing anything' : ''}${why}`];
}

function lastOutput(root: UnitNode, ending: Envelope | undefined): Explanation['lastOutput'] {
  if (isUseful(ending?.output)) return { from: 'the run', value: ending?.output as JsonValue };
  const units = allUnits(root)
    .filter(({ output }) => isUseful(usefulPart(output)))
    .sort((left, right) => (left.endedAt ?? 0) - (right.endedAt ?? 0));
  const unit = units.at(-1);
  if (unit !== undefined) return { from: unit.path, value: usefulPart(unit.output) as JsonValue };
  return lastStepOutput(root);
}

/** The output of the latest step that has a useful one; each unit has its steps in order. */
function lastStepOutput(root: UnitNode): Explanation['lastOutput'] {
  let latest: { readonly path: string; readonly step: StepNode } | undefined;
  for (const { path, steps } of allUnits(root)) {
    const step = steps.findLast(({ type, ok, value }) => type === 'step' && ok && isUseful(usefulPart(value)));
    if (step !== undefined && step.seq > (latest?.step.seq ?? -1)) latest = { path, step };
  }
  if (latest === undefined) return undefined;
  const { path, step } = latest;
  return { from: path === '' ? stepName(step.key) : `${path}/${step.key}`, value: usefulPart(step.value) as JsonValue };
}

/** Of a model call, what the model said; of a tool call, what it gave. */
function usefulPart(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { response, failure, output } = value as { readonly [key: string]: JsonValue };
  if (failure !== undefined) return undefined;
  if (isObject(response)) return response['text'];
  // Steps of workflows keep what they gave as JSON text.
  if (typeof output === 'string') return parsed(output);
  return isObject(output) && 'value' in output ? output['value'] : value;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function isUseful(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
