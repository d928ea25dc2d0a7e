import { endingOfError } from '../../run/ending/ending-of-error.js';
import { frozen } from '../../run/frozen.js';
import { makePart, makeScope } from '../../run/journal/scope-path.js';
import { added, emptyLog, itemsOf } from '../../run/log.js';
import type { Machine, MachineDecision, MachineEffect, MachineObservation } from '../../run/machine/machine.js';
import type { UnitResult } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import { terminations } from '../../termination/terminations.js';
import { childFailed } from './child-failed.js';
import type { PlannedItem, PlannedPhase, PlannedStage, Sequence } from './plan.js';
import { reportOf, viewOf } from './report.js';
import { isFine, isPause, type StageView } from './stage-view.js';
import type { Views } from './views.js';

/** The work that a pipeline, or a phase of one, asks of its performer. */
export type SequencePlan =
  | { readonly type: 'announce'; readonly text: JsonValue }
  | { readonly type: 'before' | 'after' | 'gate'; readonly views: Views }
  | { readonly type: 'stage'; readonly stage: PlannedStage; readonly views: Views }
  | { readonly type: 'phase'; readonly phase: PlannedPhase; readonly views: Views };

type Place = 'announce' | 'before' | 'work' | 'after' | 'gate' | 'end';

interface Stop {
  readonly termination: Ending;
  readonly also?: readonly Ending[];
  /** Where a resume continues. */
  readonly resumeAt: Place;
}

interface SequenceState {
  readonly place: Place;
  /** The stage or phase that is under way or comes next. */
  readonly index: number;
  readonly views: Views;
  /** How often units of a name were visited, where that is more than once or more than one item has the name. */
  readonly visits: Readonly<Record<string, number>>;
  /** Why it stops. */
  readonly stop: Stop | null;
}

interface SequenceRules {
  readonly sequence: Sequence;
  /** The scope that it runs in. */
  readonly scope: string;
  readonly registry: TerminationRegistry;
}

/** The output of a phase, as the journal holds it. */
interface PhaseReport {
  readonly stages: readonly StageView[];
}

/**
 * Stages one after the other: a whole pipeline, or one phase of it, which is a unit with the same machine inside. The places
 * of a sequence, in their order (the optional ones only if the options have them):
 *
 *   place     asks for                          then
 *   announce  a record of name and stages       before
 *   before    the callback `before`             work; a throw → end
 *   work      the next stage or phase, a unit   work, until none is left; a failure that is not advisory → after, end
 *   after     the callback `after`              gate; after a failure, or a throw → end
 *   gate      the callback `gate`               end; a reason or a throw ends it as failed
 *   end       nothing: `flow_completed`, or what stopped it
 *
 * A resume returns to the place that stopped it. What a stage does inside its unit is in perform/perform-stage.ts.
 */
export function sequenceMachine(rules: SequenceRules): Machine<SequenceState, SequencePlan, undefined> {
  return {
    init: () => ({ place: 'announce', index: 0, views: emptyLog(), visits: {}, stop: null }),
    decide: (state) => decide(state, rules),
    apply: (state, observation) => apply(state, rules, observation),
    resume: (state) => (state.stop === null ? state : retryStop(state, rules)),
  };
}

function decide(state: SequenceState, rules: SequenceRules): MachineDecision<SequencePlan> {
  const { place, views, stop } = state;
  switch (place) {
    case 'announce':
      return perform({
        type: 'record',
        key: rules.sequence.type,
        plan: { type: 'announce', text: announcement(rules) },
      });
    case 'before':
    case 'after':
    case 'gate':
      return perform({ type: 'step', key: place, plan: { type: place, views } });
    case 'work':
      return perform(unitEffect(itemAt(state, rules), views));
    case 'end': {
      const output = outputOf(state, rules.sequence);
      const { termination, also = [] } = stop ?? { termination: completedEnding(rules.sequence) };
      return {
        type: 'end',
        termination,
        ...(also.length > 0 && { also }),
        ...(output !== undefined && { output }),
      };
    }
  }
}

function perform(effect: MachineEffect<SequencePlan>): MachineDecision<SequencePlan> {
  return { type: 'perform', effects: [effect] };
}

/** Readers of the journal learn from it what the units are that follow. */
function announcement({ sequence }: SequenceRules): JsonValue {
  const stages = sequence.items.reduce((sum, item) => sum + (item.type === 'stage' ? 1 : item.stages.length), 0);
  return { [sequence.type]: sequence.name, stages };
}

function unitEffect(item: PlannedItem, views: Views): MachineEffect<SequencePlan> {
  if (item.type === 'stage') return { type: 'unit', key: item.name, plan: { type: 'stage', stage: item, views } };
  const { limits } = item.options;
  const plan: SequencePlan = { type: 'phase', phase: item, views };
  return { type: 'unit', key: item.name, plan, ...(limits !== undefined && { limits }) };
}

function itemAt({ index }: SequenceState, { sequence }: SequenceRules): PlannedItem {
  return sequence.items[index] as PlannedItem;
}

function completedEnding({ items, name }: Sequence): Ending {
  return terminations.flowCompleted({ last: items.at(-1)?.name ?? name });
}

/** A phase hands on the results of its stages; a pipeline returns the output of its last stage, once that was reached. */
function outputOf({ views, stop }: SequenceState, { type, items }: Sequence): JsonValue | undefined {
  if (type === 'phase') return { stages: [...itemsOf(views)] } as unknown as JsonValue;
  const last = views.items[views.length - 1];
  const lastItem = items.at(-1);
  const lastName = lastItem?.type === 'phase' ? lastItem.stages.at(-1)?.name : lastItem?.name;
  return last !== undefined && (stop === null || last.name === lastName)
    ? (last.output as JsonValue | undefined)
    : undefined;
}

function apply(state: SequenceState, rules: SequenceRules, observation: MachineObservation): SequenceState {
  switch (state.place) {
    case 'announce':
      return next(state, rules, 'announce');
    case 'before':
      return observation.type === 'error'
        ? stopAt(state, callbackFailed(observation.error), 'before')
        : next(state, rules, 'before');
    case 'work':
      return observation.type === 'unit' ? afterUnit(state, rules, observation.result) : state;
    case 'after':
      return afterCallback(state, rules, observation);
    case 'gate':
      return afterGate(state, rules, observation);
    case 'end':
      return state;
  }
}

/** Moves to the next place where there is something to do. */
function next(state: SequenceState, { sequence }: SequenceRules, from: Place): SequenceState {
  const places: readonly Place[] = ['announce', 'before', 'work', 'after', 'gate', 'end'];
  const there: Readonly<Record<Place, boolean>> = {
    announce: true,
    before: sequence.before !== undefined,
    work: state.index < sequence.items.length,
    after: sequence.after !== undefined,
    gate: sequence.gate !== undefined,
    end: true,
  };
  const place = places.slice(places.indexOf(from) + 1).find((each) => there[each]) ?? 'end';
  return { ...state, place };
}

function stopAt(state: SequenceState, termination: Ending, resumeAt: Place): SequenceState {
  return { ...state, place: 'end', stop: { termination, resumeAt } };
}

function afterUnit(state: SequenceState, rules: SequenceRules, result: UnitResult): SequenceState {
  const item = itemAt(state, rules);
  if (item.type === 'phase') return afterPhase(state, rules, { item, result });
  const report = reportOf(result, rules.registry);
  const view = viewOf(item, result, report);
  const isAdvisory = item.options.disposition === 'advisory' || report.advisory === true;
  const continues = isFine(view.outcome) || (isAdvisory && !isPause(rules.registry, view.executor.termination));
  const views = added(state.views, view);
  if (continues) return advance(state, views, rules);
  const known = { ...state, views };
  const child = { name: item.name, path: report.path ?? pathOf(state, rules, item.name) };
  return stopAtFailure(known, rules, childFailed({ child, result, report, registry: rules.registry }));
}

interface EndedPhase {
  readonly item: PlannedPhase;
  readonly result: UnitResult;
}

function afterPhase(state: SequenceState, rules: SequenceRules, { item, result }: EndedPhase): SequenceState {
  const { stages = [] } = (result.output ?? {}) as unknown as Partial<PhaseReport>;
  const known = { ...state, views: stages.reduce((views, stage) => added(views, frozen(stage)), state.views) };
  if (result.termination.kind === 'flow_completed') {
    return advance({ ...known, visits: countVisit(state, item.name) }, known.views, rules);
  }
  const child = { name: item.name, path: pathOf(state, rules, item.name) };
  return stopAtFailure(known, rules, terminations.childFailed({ child, termination: result.termination }));
}

function advance(state: SequenceState, views: Views, rules: SequenceRules): SequenceState {
  const moved = { ...state, index: state.index + 1, views };
  return moved.index < rules.sequence.items.length ? moved : next(moved, rules, 'work');
}

function stopAtFailure(state: SequenceState, { sequence }: SequenceRules, termination: Ending): SequenceState {
  const stop: Stop = { termination, resumeAt: 'work' };
  return { ...state, place: sequence.after === undefined ? 'end' : 'after', stop };
}

function afterCallback(state: SequenceState, rules: SequenceRules, observation: MachineObservation): SequenceState {
  const { stop } = state;
  if (observation.type !== 'error') return stop === null ? next(state, rules, 'after') : { ...state, place: 'end' };
  const failure = callbackFailed(observation.error);
  if (stop === null) return stopAt(state, failure, 'after');
  return { ...state, place: 'end', stop: { ...stop, also: [failure] } };
}

function afterGate(state: SequenceState, rules: SequenceRules, observation: MachineObservation): SequenceState {
  if (observation.type === 'error') return stopAt(state, callbackFailed(observation.error), 'gate');
  const said = observation.type === 'value' ? observation.value : undefined;
  if (typeof said !== 'string') return next(state, rules, 'gate');
  return stopAt(state, terminations.criteriaUnmet({ criteria: [said] }), 'gate');
}

function callbackFailed(error: ErrorData): Ending {
  return endingOfError(error, 'stage');
}

/** Tries again what stopped it. A unit that the journal does not resume itself gets a new visit. */
function retryStop(state: SequenceState, rules: SequenceRules): SequenceState {
  const place = state.stop?.resumeAt ?? state.place;
  const resumed = { ...state, place, stop: null };
  if (place !== 'work') return resumed;
  const item = itemAt(state, rules);
  return { ...resumed, views: viewsBefore(item, state.views), visits: countVisit(state, item.name) };
}

/** The views before a stage or a phase: its own are made again when it is finished. */
function viewsBefore(item: PlannedItem, { items, length }: Views): Views {
  const own = (item.type === 'stage' ? [item] : item.stages).map(({ name }) => name);
  let before = length;
  while (before > 0 && own.includes((items[before - 1] as StageView).name)) before -= 1;
  return { items, length: before };
}

function countVisit(state: SequenceState, name: string): SequenceState['visits'] {
  return { ...state.visits, [name]: visitsOf(state, name) + 1 };
}

/** A name may be one that every object has, such as `constructor`. */
function visitsOf({ visits }: SequenceState, name: string): number {
  return Object.hasOwn(visits, name) ? (visits[name] ?? 0) : 0;
}

function pathOf(state: SequenceState, { scope }: SequenceRules, name: string): string {
  return makeScope(scope, makePart({ name, visit: visitsOf(state, name) + 1 }));
}
