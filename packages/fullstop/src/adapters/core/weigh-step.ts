import { addUsd } from '../../engines/port/money.js';
import { added, appendAll } from '../../run/log.js';
import { evaluateConditions } from '../../stop/evaluate.js';
import type { EvaluationPoint, LoopObservation } from '../../stop/observation.js';
import { observeCall, observeText } from '../../stop/observe.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import type { ForeignCause, ForeignEvent, ForeignVerdicts, JournalledStep } from './foreign-event.js';
import type { ForeignDraft, ForeignState } from './foreign-state.js';

type StepEvent = Extract<ForeignEvent, { type: 'step' }>;

/** Folds a step in: its response, the results of its calls and the iteration are weighed in turn, and the first that ends the run does. */
export function weighStep(draft: ForeignDraft, { step, causes, judged = {} }: StepEvent): void {
  const { conditions } = draft;
  const { calls, text } = step;
  addUsage(draft, step);
  draft.messages = appendAll(draft.messages, step.messages);
  if (text !== '' || calls.length === 0) draft.text = text;
  draft.finish = step.finish ?? '';
  const isLast = calls.length === 0;
  if (isLast) draft.rounds += 1;
  const at = (point: ForeignCause['point']): readonly Cause[] => causes.filter((cause) => cause.point === point);
  const observedText = observeText(text, conditions);
  weigh(draft, 'after_response', { text: observedText, ...(isLast && verdictsIn(judged)) }, [
    ...at('after_response'),
    ...(isLast ? thrownIn(judged) : []),
  ]);
  if (draft.ending !== null) return;
  if (!isLast) {
    draft.rounds += 1;
    draft.toolCalls += calls.length;
    const showsResults = conditions.some((condition) => condition.showsResults === true);
    const observed = calls.map((call) => observeCall(call, showsResults));
    weigh(draft, 'after_tools', { calls: observed }, at('after_tools'));
    if (draft.ending !== null) return;
  }
  draft.iterations += 1;
  const { inputTokens = 0, outputTokens = 0 } = step.charge;
  const facts = { iterationTokens: inputTokens + outputTokens, ...(!isLast && verdictsIn(judged)) };
  weigh(draft, 'after_iteration', facts, [...at('after_iteration'), ...(isLast ? [] : thrownIn(judged))]);
  draft.iterationStart = draft.activeMs;
}

/** Weighs the causes at a point together with the conditions. */
export function weigh(
  draft: ForeignDraft,
  point: EvaluationPoint,
  facts: Partial<LoopObservation>,
  causes: readonly Cause[],
): void {
  const observation = { ...observeTotals(draft, point), ...facts };
  const evaluation = evaluateConditions(draft.conditions, draft.states, observation, causes);
  const { winner, states } = evaluation;
  draft.observations = added(draft.observations, winner === undefined ? observation : { ...observation, states });
  draft.states = states;
  if (winner === undefined) return;
  draft.ending = winner as Ending;
  draft.also = evaluation.also as readonly Ending[];
}

/** The totals that conditions may read at every point. */
export function observeTotals(state: ForeignState, point: EvaluationPoint): LoopObservation {
  const { iterations, rounds, toolCalls, usage, costUsd, estimated, activeMs, iterationStart, finish } = state;
  return {
    point,
    iterations,
    rounds,
    toolCalls,
    usage,
    costUsd,
    ...(estimated && { estimated }),
    activeMs,
    iterationMs: activeMs - iterationStart,
    ...(finish !== '' && { finish }),
  };
}

function addUsage(draft: ForeignDraft, { charge }: JournalledStep): void {
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

function verdictsIn({ verdicts, forbidding }: ForeignVerdicts): Partial<LoopObservation> {
  return { ...(verdicts !== undefined && { verdicts }), ...(forbidding !== undefined && { forbidding }) };
}

function thrownIn({ error }: ForeignVerdicts): readonly Cause[] {
  if (error === undefined) return [];
  const errorClass = error.code === 'INVALID_OPTION' ? 'configuration' : 'unknown';
  return [{ slot: 'step_error', termination: { kind: 'failed', error, origin: 'loop', errorClass } as Ending }];
}
