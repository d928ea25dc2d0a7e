import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { Charge } from '../../engines/port/usage.js';
import { estimateUsage, type ModelPrices } from '../../run/accounts/prices.js';
import { frozenCopy } from '../../run/frozen.js';
import { itemsOf } from '../../run/log.js';
import type { MachinePerformer } from '../../run/machine/machine.js';
import type { StepAttempt } from '../../run/run-context.js';
import type { LoopView } from '../../stop/observation.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { JsonObject } from '../../termination/json.js';
import { createRegistry, type TerminationRegistry } from '../../termination/registry.js';
import { CallWatch } from './call-watch.js';
import type { ForeignEvent, ForeignStep, ForeignVerdicts, JournalledStep } from './foreign-event.js';
import type { ForeignPlan } from './foreign-machine.js';
import type { ForeignState } from './foreign-state.js';
import type { ForeignOutcome, Framework } from './framework.js';
import { type Heard, LiveCall } from './live-call.js';
import { observeTotals } from './weigh-step.js';

export interface ForeignPerformerOptions<TResult> {
  readonly framework: Framework<TResult>;
  readonly prices: ModelPrices;
  readonly registry?: TerminationRegistry;
  /** How long a call that was told to stop may take to come to its end. */
  readonly graceMs: number;
  /** The signals of the caller: when one of them ends the run, the framework sees the caller's own reason. */
  readonly signals: readonly AbortSignalLike[];
  /** Told of the outcome of every call, and of the result of one that streams. */
  readonly onOutcome: (outcome: ForeignOutcome<TResult>) => void;
  readonly onResult: (result: TResult) => void;
}

/** The impure side of a foreign run: begins the framework's call when something is to be heard, and listens. */
export function foreignPerformer<TResult>(options: ForeignPerformerOptions<TResult>): MachinePerformer<ForeignPlan> {
  let live: LiveCall<TResult> | undefined;
  let watch: CallWatch | undefined;

  const over = (): void => {
    watch?.stop();
    live = undefined;
    watch = undefined;
  };

  const begin = (state: ForeignState): LiveCall<TResult> => {
    const call = new LiveCall<TResult>();
    const { place, answers, requests } = state;
    const messages = itemsOf(state.messages);
    const isFirst = state.turns === 0 && place === undefined;
    const continuation = isFirst ? undefined : { messages, place, answers, requests };
    call.begin(options.framework, continuation, options.onResult);
    return call;
  };

  return {
    async step({ type, state }, attempt) {
      if (type === 'stop') {
        // After a crash nothing is under way any more that could be stopped.
        if (live === undefined) return { type: 'settled', causes: [] } satisfies ForeignEvent;
        watch?.stop();
        live.stop(stopReason(state));
        const heard = await settle(live, attempt, options.graceMs);
        over();
        return heard === undefined ? { type: 'settled', causes: [], stuck: true } : settledEvent(options, heard);
      }
      if (live === undefined || watch === undefined) {
        live = begin(state);
        watch = new CallWatch(live, attempt, options.signals);
      } else live.proceed();
      const { expired, heard } = await watch.next(live, state);
      if (heard === undefined) return expired;
      if (heard.type === 'step') return stepEvent(options, heard, state, attempt);
      over();
      return settledEvent(options, heard);
    },
  };
}

/** The outcome of a call that was told to stop, if it comes in time. Steps that it still reports are not weighed any more. */
async function settle<TResult>(
  live: LiveCall<TResult>,
  { clock }: StepAttempt,
  graceMs: number,
): Promise<Heard<TResult> | undefined> {
  const stopTimer = clock.callAt(clock.now() + graceMs, () => live.giveUp());
  try {
    let heard = await live.next();
    while (heard?.type === 'step') {
      live.stop(undefined);
      heard = await live.next();
    }
    return heard;
  } finally {
    stopTimer();
  }
}

function stopReason({ ending }: ForeignState): Error {
  const kind = ending?.kind ?? 'stopped';
  return Object.assign(new Error(`Fullstop ended the run as ${kind}.`), { name: 'AbortError', code: 'RUN_STOPPED' });
}

/** A step as the journal has it: priced, and judged by the conditions of the user's own. */
function stepEvent<TResult>(
  options: ForeignPerformerOptions<TResult>,
  { step, causes }: Extract<Heard<TResult>, { type: 'step' }>,
  state: ForeignState,
  attempt: StepAttempt,
): ForeignEvent | Promise<ForeignEvent> {
  const charge = chargeOf(options.prices, step);
  attempt.charge(charge);
  // Spelled out: the journal keeps very many of them.
  const { model, text, finish, calls, messages } = step;
  const journalled: JournalledStep = { model, text, finish, calls, messages, charge };
  const asked = state.conditions.some(({ evaluateAsync }) => evaluateAsync !== undefined);
  if (!asked) return { type: 'step', step: journalled, causes };
  return judge(options, state, journalled).then((judged) => ({
    type: 'step',
    step: journalled,
    causes,
    ...(judged !== undefined && { judged }),
  }));
}

function chargeOf(prices: ModelPrices, { model, usage = {}, costUsd, text, calls, messages }: ForeignStep): Charge {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  const isReported = inputTokens !== undefined && outputTokens !== undefined;
  const cached = cachedInputTokens !== undefined && { cachedInputTokens };
  const tokens = isReported
    ? { inputTokens, outputTokens, ...cached }
    : estimateUsage(JSON.stringify(messages), JSON.stringify([text, calls.map(({ tool, input }) => [tool, input])]));
  const charge = prices.charge(model, tokens);
  return costUsd === undefined ? charge : { ...charge, costUsd };
}

/** Asks the custom conditions once about a step; their verdicts are journalled with it. */
async function judge<TResult>(
  { registry = createRegistry([]) }: ForeignPerformerOptions<TResult>,
  state: ForeignState,
  step: JournalledStep,
): Promise<ForeignVerdicts | undefined> {
  const { inputTokens = 0, outputTokens = 0 } = step.charge;
  const totals = observeTotals(state, step.calls.length === 0 ? 'after_response' : 'after_iteration');
  const usage = {
    inputTokens: totals.usage.inputTokens + inputTokens,
    outputTokens: totals.usage.outputTokens + outputTokens,
    totalTokens: totals.usage.totalTokens + inputTokens + outputTokens,
  };
  const messages = frozenCopy([...itemsOf(state.messages), ...step.messages]) as unknown as readonly JsonObject[];
  const counted = { iterations: totals.iterations + 1, rounds: totals.rounds + 1 };
  const toolCalls = totals.toolCalls + step.calls.length;
  const view: LoopView = { ...totals, ...counted, toolCalls, usage, answer: step.text, messages };
  try {
    const verdicts: [string, Ending][] = [];
    for (const { name, evaluateAsync } of state.conditions) {
      const verdict = await evaluateAsync?.(view);
      if (verdict !== undefined) verdicts.push([name, structuredCopy(verdict as Ending)]);
    }
    if (verdicts.length === 0) return undefined;
    const forbidding = verdicts.filter(([, verdict]) => forbids(verdict, registry)).map(([name]) => name);
    return { verdicts: Object.fromEntries(verdicts), ...(forbidding.length > 0 && { forbidding }) };
  } catch (error) {
    return { error: toErrorData(error) };
  }
}

function structuredCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function forbids(verdict: Ending, registry: TerminationRegistry): boolean {
  const category = registry.find(verdict.kind)?.category(verdict);
  return category === 'fatal' || category === 'paused';
}

function settledEvent<TResult>({ onOutcome }: ForeignPerformerOptions<TResult>, heard: Heard<TResult>): ForeignEvent {
  if (heard.type === 'step') throw new TypeError('A step is no outcome.');
  const { outcome } = heard;
  onOutcome(outcome);
  const place = outcome.place !== undefined && { place: outcome.place };
  if (outcome.type === 'waiting') return { type: 'waiting', requests: outcome.requests, ...place };
  const { causes, output, notResumable } = outcome;
  const why = notResumable !== undefined && { notResumable };
  return { type: 'settled', causes, ...(output !== undefined && { output }), ...place, ...why };
}
