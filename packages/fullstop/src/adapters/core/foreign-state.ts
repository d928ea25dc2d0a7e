import type { ReceivedAnswer, RunRequest } from '../../engines/port/request.js';
import { emptyLog, type Log } from '../../run/log.js';
import type { StopCondition } from '../../stop/condition.js';
import type { ConditionStates, LoopObservation, ObservedUsage } from '../../stop/observation.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';

/** Everything that a foreign run is, as a fold over what was heard of it. */
export interface ForeignState {
  /** How many turns were heard of it. */
  readonly turns: number;
  readonly iterations: number;
  readonly rounds: number;
  readonly toolCalls: number;
  readonly usage: ObservedUsage;
  /** Null when the price of a call is unknown. */
  readonly costUsd: number | null;
  readonly estimated: boolean;
  readonly activeMs: number;
  /** The active time at the beginning of the iteration under way. */
  readonly iterationStart: number;
  readonly lastAt: number;
  readonly conditions: readonly StopCondition<string>[];
  readonly states: ConditionStates;
  readonly observations: Log<LoopObservation>;
  readonly messages: Log<JsonValue>;
  readonly text: string;
  readonly finish: string;
  readonly output: JsonValue | undefined;
  /** True when a verdict forbids or holds the latest answer. */
  readonly withheld: boolean;
  /** The framework's own words for where it continues. */
  readonly place: JsonValue | undefined;
  /** The questions that are open, or were answered since the last call. */
  readonly requests: readonly RunRequest[];
  readonly answers: readonly ReceivedAnswer[];
  readonly ending: Ending | null;
  readonly also: readonly Ending[];
  /** True when no call is under way. */
  readonly settled: boolean;
  /** Why the framework cannot continue from where it is. */
  readonly notResumable: string | undefined;
}

export type ForeignDraft = { -readonly [K in keyof ForeignState]: ForeignState[K] };

/** A copy to work on. Spelled out, which is ten times faster than a spread of so many members. */
export function draftOf(state: ForeignState): ForeignDraft {
  return {
    turns: state.turns,
    iterations: state.iterations,
    rounds: state.rounds,
    toolCalls: state.toolCalls,
    usage: state.usage,
    costUsd: state.costUsd,
    estimated: state.estimated,
    activeMs: state.activeMs,
    iterationStart: state.iterationStart,
    lastAt: state.lastAt,
    conditions: state.conditions,
    states: state.states,
    observations: state.observations,
    messages: state.messages,
    text: state.text,
    finish: state.finish,
    output: state.output,
    withheld: state.withheld,
    place: state.place,
    requests: state.requests,
    answers: state.answers,
    ending: state.ending,
    also: state.also,
    settled: state.settled,
    notResumable: state.notResumable,
  };
}

/** The input of the machine: the moment of the start. */
export interface ForeignInput {
  readonly at: number;
}

export function startForeignState({ at }: ForeignInput, conditions: ForeignState['conditions']): ForeignState {
  return {
    turns: 0,
    iterations: 0,
    rounds: 0,
    toolCalls: 0,
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    costUsd: 0,
    estimated: false,
    activeMs: 0,
    iterationStart: 0,
    lastAt: at,
    conditions,
    states: {},
    observations: emptyLog(),
    messages: emptyLog(),
    text: '',
    finish: '',
    output: undefined,
    withheld: false,
    place: undefined,
    requests: [],
    answers: [],
    ending: null,
    also: [],
    settled: false,
    notResumable: undefined,
  };
}
