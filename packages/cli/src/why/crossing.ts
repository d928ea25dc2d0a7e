import type { AnyTermination, BuiltInKind, JsonValue, Termination } from 'fullstop';
import type { Charge } from 'fullstop/engine';
import type { LoopObservation, ObservedCall } from 'fullstop/machine';
import type { CycleObservation } from '../journal/cycle-observation.js';
import { counted, dollars, duration, grouped, percent } from '../journal/number-text.js';
import type { StepNode } from '../journal/step-node.js';
import { allUnits, type UnitNode } from '../journal/unit-tree.js';
import { callText, ordinalText, valueText } from '../journal/value-text.js';
import { lastLoopObservation } from './observation.js';
import { runningSteps } from './running-steps.js';

type Sentences = {
  readonly [K in BuiltInKind]?: (termination: Termination<K>, unit: UnitNode) => readonly string[];
};

/** The observation that crossed the limit at the moment of an ending, in words. */
export function crossing(termination: AnyTermination, unit: UnitNode): readonly string[] {
  const sentencesOf = Object.hasOwn(sentences, termination.kind)
    ? sentences[termination.kind as BuiltInKind]
    : undefined;
  return (
    (sentencesOf as ((termination: AnyTermination, unit: UnitNode) => readonly string[]) | undefined)?.(
      termination,
      unit,
    ) ?? []
  );
}

const sentences: Sentences = {
  max_iterations: ({ limit, unit: what }, unit) => {
    const { last, calls } = lastRound(unit);
    const wish = calls.length === 0 ? '' : `; the model was still calling ${listedCalls(calls)}`;
    const number = last?.iterations ?? limit;
    return [`${what} ${number} was the last of ${limit} that are allowed${wish}`];
  },
  max_tool_calls: ({ limit, used }, unit) => {
    const { calls } = lastRound(unit);
    const what = calls.length === 0 ? 'the last call' : listedCalls(calls);
    return [`${what} was call number ${grouped(used)}; ${grouped(limit)} are allowed`];
  },
  loop_detected: ({ cycle, repeats }, unit) => {
    const { last } = lastRound(unit);
    const asked = cycle.map(({ tool, input }) => callText(tool, input as JsonValue)).join(', then ');
    const where =
      last === undefined ? 'the model' : `iteration ${last.iterations + (last.point === 'after_iteration' ? 0 : 1)}`;
    return [`${where} asked for ${asked} for the ${ordinalText(repeats)} time with the same result`];
  },
  stall_detected: ({ consecutive, tolerance, tokens }) => [
    `the last ${counted(consecutive, 'iteration')} used ${tokens.map(grouped).join(', ')} tokens, which differ by no more than ${percent(tolerance)}`,
  ],
  no_progress: ({ used, snapshot }) => [
    `${counted(used, 'iteration')} left everything as it was: ${valueText(snapshot as JsonValue)}`,
  ],
  token_budget: ({ limit, used, estimated }, unit) => [
    `${lastSpender(unit, ({ inputTokens = 0, outputTokens = 0 }) => inputTokens + outputTokens > 0)} brought the total to ${estimated === true ? '~' : ''}${grouped(used)} tokens; the limit is ${grouped(limit)}`,
  ],
  cost_budget: ({ limitUsd, usedUsd, estimated }, unit) => [
    `${lastSpender(unit, ({ costUsd = 0 }) => costUsd > 0)} brought the cost to ${dollars(usedUsd, estimated)}; the limit is ${dollars(limitUsd)}`,
  ],
  time_budget: ({ limitMs, elapsedMs, scope }, unit) => {
    const running = runningSteps(unit);
    const verb = running.length === 1 ? 'was' : 'were';
    const when =
      running.length === 0
        ? `when ${lastInside(unit, () => true)} was done`
        : `while ${listed(running)} ${verb} running`;
    return [`the ${scope} had taken ${duration(elapsedMs)} of ${duration(limitMs)} ${when}`];
  },
  cycle_budget: ({ limit }, unit) => {
    const merge = unit.merges.at(-1);
    return merge === undefined
      ? []
      : [`cycle ${merge.cycle} was the last of ${grouped(limit)} that are allowed; ${awakeText(merge)}`];
  },
  fact_budget: ({ limit }, unit) => {
    const merge = unit.merges.at(-1);
    if (merge === undefined) return [];
    const room = `the merge of cycle ${merge.cycle} found room for ${grouped(merge.promoted)} of ${counted(merge.promoted + merge.held, 'new fact')}`;
    return [`${room}; ${grouped(limit)} are allowed in all`];
  },
  budget_pressure: ({ threshold, resource, finalized }) => [
    `${percent(threshold)} of the ${resource} budget was used, so the model was told to wrap up${finalized ? ', and it did' : ', and it did not'}`,
  ],
  consecutive_errors: ({ used, lastError }, unit) => {
    const { calls } = lastRound(unit);
    const what = calls.length === 0 ? 'calls' : listedCalls(calls);
    return [`${what} failed, the ${ordinalText(used)} failure in a row: ${valueText(lastError.message)}`];
  },
  consecutive_mistakes: ({ used, lastMistake }) => [
    `the model ${lastMistake.tool === undefined ? 'gave no answer' : `called ${lastMistake.tool} wrongly`}, its ${ordinalText(used)} mistake in a row: ${valueText(lastMistake.message)}`,
  ],
  failed: ({ error, origin }, unit) => {
    const failing = unit.steps.findLast(({ ok, error: message }) => !ok && message === error.message);
    const what = failing === undefined ? `the ${origin}` : `step ${failing.key}`;
    const tries = failing !== undefined && failing.attempts > 1 ? ` after ${counted(failing.attempts, 'attempt')}` : '';
    return [
      `${what} failed${tries}: ${valueText(error.message, 300)}`,
      ...failedMembers(error.data),
      ...askedText(unit, error.data ?? {}),
    ];
  },
  provider_auth: (ending, unit) => askedText(unit, ending),
  provider_failed: (ending, unit) => askedText(unit, ending),
  provider_quota: (ending, unit) => askedText(unit, ending),
  no_answer: ({ attempts, finishReason }, unit) => [
    `${lastStep(unit)} returned no text and no call, the ${ordinalText(attempts)} such answer in a row${finishReason === undefined ? '' : `; the provider's word for it is ${valueText(finishReason)}`}`,
  ],
  no_route: ({ step, output }) => [`no route of ${step} fits its output ${valueText(output as JsonValue)}`],
  schema_validation: ({ violations }) => violations.map(violationText),
  structured_output_exhausted: ({ violations }) => violations.map(violationText),
};

/** Which request it was, so that it can be found at the provider; what the provider said is in the headline. */
function askedText(
  unit: UnitNode,
  { url, status, requestId }: { readonly url?: unknown; readonly status?: unknown; readonly requestId?: unknown },
): readonly string[] {
  if (typeof url !== 'string') return [];
  const answer = typeof status === 'number' ? `, which answered HTTP ${status}` : '';
  const id = typeof requestId === 'string' ? ` (request ${requestId})` : '';
  return [`${lastStep(unit)} asked ${url}${answer}${id}`];
}

/** The members of a group that failed: its message names them only where it stopped at the first. */
function failedMembers(data: JsonValue | undefined): readonly string[] {
  const { members } = (data ?? {}) as { readonly members?: unknown };
  if (!Array.isArray(members) || members.length === 0) return [];
  return [`${listed(members.map(String))} failed`];
}

function violationText({ path, message }: { readonly path: string; readonly message: string }): string {
  if (path !== '') return `${path} ${message}`;
  return message.startsWith('the answer ') ? message : `the answer ${message}`;
}

/** The last observation, and the calls of the last round that had any. */
function lastRound(unit: UnitNode): {
  readonly last: LoopObservation | undefined;
  readonly calls: readonly ObservedCall[];
} {
  const { observations } = unit;
  const withCalls = lastLoopObservation(observations, ({ calls = [] }) => calls.length > 0);
  return { last: lastLoopObservation(observations), calls: withCalls?.calls ?? [] };
}

/** `a`, `a and b`, `a, b and 3 more`. */
function listed(names: readonly string[]): string {
  if (names.length > 3) return `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
  return names.length === 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function listedCalls(calls: readonly ObservedCall[]): string {
  const texts = calls.slice(0, 2).map(({ tool, input }) => callText(tool, input));
  return calls.length > 2 ? `${texts.join(', ')} and ${calls.length - 2} more` : texts.join(' and ');
}

function awakeText({ awake }: CycleObservation): string {
  const shown = awake.slice(0, 3).join(', ');
  return `${shown}${awake.length > 3 ? ` and ${awake.length - 3} more` : ''} still had something to add`;
}

/** A step of a convergence is named after its cycle: `3:risk`. */
function lastStep(unit: UnitNode): string {
  const merge = unit.merges.at(-1);
  if (merge !== undefined) return `cycle ${merge.cycle}`;
  const step = unit.steps.findLast(({ type }) => type === 'step');
  return step === undefined ? 'the last step' : `step ${step.key}`;
}

/** The last step, of the unit or inside it, that has used something of what is counted. */
function lastSpender(unit: UnitNode, spends: (charge: Charge) => boolean): string {
  return lastInside(unit, ({ charge }) => charge !== undefined && spends(charge));
}

/** The last step of its kind, of the unit or inside it; one inside is named after its unit. */
function lastInside(unit: UnitNode, isMeant: (step: StepNode) => boolean): string {
  if (unit.merges.length > 0) return lastStep(unit);
  let last: { readonly at: UnitNode; readonly step: StepNode } | undefined;
  for (const at of allUnits(unit)) {
    const step = at.steps.findLast((each) => each.type === 'step' && isMeant(each));
    if (step !== undefined && step.seq > (last?.step.seq ?? -1)) last = { at, step };
  }
  if (last === undefined || last.at === unit) return last === undefined ? lastStep(unit) : `step ${last.step.key}`;
  return last.at.path;
}
