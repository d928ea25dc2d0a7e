import { changeConditions } from '../../run/changes/changed-conditions.js';
import { readChanges } from '../../run/changes/resume-changes.js';
import { classifyError } from '../../run/ending/classify-error.js';
import { itemsOf } from '../../run/log.js';
import type { Machine, MachineDecision, MachineObservation, SegmentOpening } from '../../run/machine/machine.js';
import type { StopCondition } from '../../stop/condition.js';
import { resetAfterResume } from '../../stop/resume-conditions.js';
import { assertNever } from '../../termination/assert-never.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonObject } from '../../termination/json.js';
import type { ForeignEvent } from './foreign-event.js';
import { makeStopKey, makeTurnKey } from './foreign-key.js';
import {
  draftOf,
  type ForeignDraft,
  type ForeignInput,
  type ForeignState,
  startForeignState,
} from './foreign-state.js';
import { noFacts, weigh, weighStep } from './weigh-step.js';

/** The tasks of the performer: wait for the next turn of the framework, or stop it. */
export interface ForeignPlan {
  readonly type: 'next' | 'stop';
  readonly state: ForeignState;
}

export type ForeignMachine = Machine<ForeignState, ForeignPlan, ForeignInput>;

/** The rules of a foreign run. */
export interface ForeignRules {
  readonly conditions: readonly StopCondition<string>[];
  /** Custom conditions that resumes may name. */
  readonly custom: () => readonly StopCondition<string>[];
}

/** A run of another framework as a fold: it is listened to turn by turn, and stopped when a condition says so. */
export function foreignMachine(rules: ForeignRules): ForeignMachine {
  let reported = 0;
  return {
    init: (input) => startForeignState(input, rules.conditions),
    decide,
    apply: applyObservation,
    resume: (state, opening) => resumeForeign(state, opening, rules),
    idle: (state, milliseconds) => ({ ...state, lastAt: state.lastAt + milliseconds }),
    observe: ({ observations }) => {
      if (observations.length === reported) return undefined;
      const items = itemsOf(observations).slice(reported) as unknown as readonly JsonObject[];
      reported = observations.length;
      return items;
    },
  };
}

function decide(state: ForeignState): MachineDecision<ForeignPlan> {
  const { ending, settled, turns, also, output, text, withheld, notResumable } = state;
  if (ending === null) {
    const open = openRequests(state);
    if (open.length > 0) {
      const effects = open.map((request) => ({ type: 'request' as const, key: request.id, request }));
      return { type: 'perform', effects, also };
    }
    const key = makeTurnKey(turns + 1);
    return { type: 'perform', effects: [{ type: 'step', key, plan: { type: 'next', state }, isJson: true }] };
  }
  if (!settled) {
    const key = makeStopKey(turns + 1);
    return { type: 'perform', effects: [{ type: 'step', key, plan: { type: 'stop', state }, isJson: true }] };
  }
  return {
    type: 'end',
    termination: ending,
    withdraw: true,
    ...(also.length > 0 && { also }),
    ...(!withheld && { output: output === undefined ? text : output }),
    ...(notResumable !== undefined && { notResumable }),
  };
}

function openRequests({ requests, answers }: ForeignState): ForeignState['requests'] {
  return requests.filter(({ id }) => !answers.some(({ requestId }) => requestId === id));
}

function applyObservation(state: ForeignState, observation: MachineObservation): ForeignState {
  const draft = draftOf(state);
  const { at, type } = observation;
  if (at > draft.lastAt) {
    // Nobody worked while an answer was waited for.
    if (type !== 'answer') draft.activeMs += at - draft.lastAt;
    draft.lastAt = at;
  }
  if (type === 'answer') return applyAnswer(draft, observation.answer);
  draft.turns += 1;
  if (type === 'value') {
    applyEvent(draft, observation.value as unknown as ForeignEvent);
    return draft;
  }
  // The performer itself failed, or was cut off: whatever the framework did is over.
  draft.settled = true;
  if (draft.ending === null && type === 'error') {
    const { error, refusal } = observation;
    draft.ending =
      refusal ?? ({ kind: 'failed', error, origin: 'loop', errorClass: classifyError(error) } as unknown as Ending);
  }
  return draft;
}

function applyAnswer(draft: ForeignDraft, answer: ForeignState['answers'][number]): ForeignState {
  draft.answers = [...draft.answers, answer];
  if (openRequests(draft).length > 0) return draft;
  // The point at which it paused is finished first: limits that it had reached end it before any new call.
  draft.also = [];
  weigh(draft, 'after_iteration', noFacts, []);
  return draft;
}

function applyEvent(draft: ForeignDraft, event: ForeignEvent): void {
  switch (event.type) {
    case 'step':
      // The answers of before are part of the conversation now.
      if (draft.requests.length > 0) draft.requests = [];
      if (draft.answers.length > 0) draft.answers = [];
      draft.settled = false;
      weighStep(draft, event);
      return;
    case 'waiting':
      draft.settled = true;
      draft.place = event.place;
      draft.requests = event.requests;
      draft.answers = [];
      // A limit that is reached while people are asked waits for them; their answers come first.
      if (draft.ending !== null) {
        draft.also = [draft.ending, ...draft.also];
        draft.ending = null;
      }
      return;
    case 'expired': {
      const { limitMs, scope } = event;
      const elapsedMs = scope === 'run' ? draft.activeMs : draft.activeMs - draft.iterationStart;
      const termination = { kind: 'time_budget', limitMs, elapsedMs: Math.max(elapsedMs, limitMs), scope } as Ending;
      weigh(draft, 'end', noFacts, elapsedMs >= limitMs ? [] : [{ slot: 'budget', termination }]);
      draft.ending ??= termination;
      return;
    }
    case 'settled':
      applySettled(draft, event);
      return;
    default:
      assertNever('Unknown event', event);
  }
}

function applySettled(draft: ForeignDraft, event: Extract<ForeignEvent, { type: 'settled' }>): void {
  draft.settled = true;
  if (event.output !== undefined) draft.output = event.output;
  if (event.place !== undefined) draft.place = event.place;
  draft.notResumable = event.notResumable;
  if (draft.ending === null) weigh(draft, 'end', noFacts, event.causes);
}

/** Continues after an open ending: the framework is called again from where it was. */
function resumeForeign(state: ForeignState, { options }: SegmentOpening, rules: ForeignRules): ForeignState {
  const { ending, also, states } = state;
  const conditions = changeConditions(state.conditions, readChanges(options, ''), rules.custom());
  const ended = ending === null ? also : [ending, ...also];
  return {
    ...state,
    conditions,
    states: resetAfterResume(conditions, states, ended),
    ending: null,
    also: ending === null ? also : [],
    settled: true,
    iterationStart: state.activeMs,
  };
}
