import { addUsd } from '../../engines/port/money.js';
import type { Charge } from '../../engines/port/usage.js';
import { added, appendAll } from '../../run/log.js';
import { evaluateConditions } from '../../stop/evaluate.js';
import type { EvaluationPoint, LoopObservation, ObservedCall } from '../../stop/observation.js';
import { observeCall, observeText } from '../../stop/observe.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import type { ForeignCall, ForeignCause, ForeignEvent, ForeignVerdicts } from './foreign-event.js';
import type { ForeignDraft, ForeignState } from './foreign-state.js';

type StepEvent = Extract<ForeignEvent, { type: 'step' }>;

/**
 * The facts that belong to one evaluation point, every member there with undefined where the point has no such fact: a spread for
 * each of them would cost more than all conditions.
 */
type WeighedFacts = {
  readonly [K in 'text' | 'calls' | 'iterationTokens' | 'verdicts' | 'forbidding']: LoopObservation[K] | undefined;
};

export const noFacts: WeighedFacts = {
  text: undefined,
  calls: undefined,
  iterationTokens: undefined,
  verdicts: undefined,
  forbidding: undefined,
};

const noCauses: readonly never[] = [];
const noVerdicts: ForeignVerdicts = {};

/** Folds a step in: its response, the results of its calls and the iteration are weighed in turn, and the first that ends the run does. */
export function weighStep(draft: ForeignDraft, { step, causes, judged = noVerdicts }: StepEvent): void {
  const { conditions } = draft;
  const { calls, text: said, charge } = step;
  addUsage(draft, charge);
  draft.messages = appendAll(draft.messages, step.messages);
  const isLast = calls.length === 0;
  // What a verdict forbade is no output after the next answer either.
  if (draft.withheld) draft.output = undefined;
  draft.withheld = false;
  if (said !== '' || isLast) draft.text = said;
  draft.finish = step.finish ?? '';
  if (isLast) draft.rounds += 1;
  const { verdicts, forbidding } = judged;
  const text = observeText(said, conditions);
  const answered = isLast ? { ...noFacts, text, verdicts, forbidding } : factsOf(text, undefined, undefined);
  weigh(draft, 'after_response', answered, causesAt('after_response', causes, isLast ? judged : noVerdicts));
  if (draft.ending !== null) return;
  if (!isLast) {
    draft.rounds += 1;
    draft.toolCalls += calls.length;
    const facts = factsOf(undefined, observeCalls(calls, conditions), undefined);
    weigh(draft, 'after_tools', facts, causesAt('after_tools', causes, noVerdicts));
    if (draft.ending !== null) return;
  }
  draft.iterations += 1;
  const { inputTokens = 0, outputTokens = 0 } = charge;
  const facts = factsOf(undefined, undefined, inputTokens + outputTokens);
  const finished = isLast || judged === noVerdicts ? facts : { ...facts, verdicts, forbidding };
  weigh(draft, 'after_iteration', finished, causesAt('after_iteration', causes, isLast ? noVerdicts : judged));
  draft.iterationStart = draft.activeMs;
}

function factsOf(
  text: WeighedFacts['text'],
  calls: WeighedFacts['calls'],
  iterationTokens: WeighedFacts['iterationTokens'],
): WeighedFacts {
  return { text, calls, iterationTokens, verdicts: undefined, forbidding: undefined };
}

function observeCalls(calls: readonly ForeignCall[], conditions: ForeignState['conditions']): readonly ObservedCall[] {
  const showsResults = conditions.some((condition) => condition.showsResults === true);
  return calls.map((call) => observeCall(call, showsResults));
}

function causesAt(
  point: ForeignCause['point'],
  causes: readonly ForeignCause[],
  { error }: ForeignVerdicts,
): readonly Cause[] {
  if (causes.length === 0 && error === undefined) return noCauses;
  return [...causes.filter((cause) => cause.point === point), ...thrownIn(error)];
}

/** Weighs the causes at a point together with the conditions. */
export function weigh(
  draft: ForeignDraft,
  point: EvaluationPoint,
  facts: WeighedFacts,
  causes: readonly Cause[],
): void {
  const observation = observe(draft, point, facts);
  const evaluation = evaluateConditions(draft.conditions, draft.states, observation, causes);
  const { winner, states } = evaluation;
  draft.observations = added(draft.observations, winner === undefined ? observation : { ...observation, states });
  draft.states = states;
  if (winner === undefined) return;
  draft.ending = winner as Ending;
  draft.also = evaluation.also as readonly Ending[];
  if (facts.forbidding !== undefined) draft.withheld = true;
}

/** The totals that conditions may read at every point. */
export function observeTotals(state: ForeignState, point: EvaluationPoint): LoopObservation {
  return observe(state, point, noFacts);
}

type ObservationDraft = { -readonly [K in keyof LoopObservation]: LoopObservation[K] | undefined };

// One literal for all points: every condition reads every observation, and reads objects of one shape fastest.
function observe(state: ForeignState, point: EvaluationPoint, facts: WeighedFacts): LoopObservation {
  const { activeMs, finish } = state;
  const observation: ObservationDraft = {
    point,
    iterations: state.iterations,
    rounds: state.rounds,
    toolCalls: state.toolCalls,
    usage: state.usage,
    costUsd: state.costUsd,
    activeMs,
    iterationMs: activeMs - state.iterationStart,
    finish: finish === '' ? undefined : finish,
    text: facts.text,
    calls: facts.calls,
    iterationTokens: facts.iterationTokens,
  };
  const { verdicts, forbidding } = facts;
  if (state.estimated) observation.estimated = true;
  if (verdicts !== undefined) observation.verdicts = verdicts;
  if (forbidding !== undefined) observation.forbidding = forbidding;
  return observation as LoopObservation;
}

function addUsage(draft: ForeignDraft, charge: Charge): void {
  const { inputTokens = 0, outputTokens = 0, costUsd, estimated } = charge;
  const { usage } = draft;
  draft.usage = {
    inputTokens: usage.inputTokens + inputTokens,
    outputTokens: usage.outputTokens + outputTokens,
    totalTokens: usage.totalTokens + inputTokens + outputTokens,
  };
  draft.costUsd = draft.costUsd === null || costUsd === undefined ? null : addUsd(draft.costUsd, costUsd);
  if (estimated === true) draft.estimated = true;
}

function thrownIn(error: ForeignVerdicts['error']): readonly Cause[] {
  if (error === undefined) return noCauses;
  const errorClass = error.code === 'INVALID_OPTION' ? 'configuration' : 'unknown';
  return [{ slot: 'step_error', termination: { kind: 'failed', error, origin: 'loop', errorClass } as Ending }];
}
