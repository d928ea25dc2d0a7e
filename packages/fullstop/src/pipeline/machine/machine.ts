import { classifyError } from '../../run/ending/classify-error.js';
import { frozen } from '../../run/frozen.js';
import { makePart, makeScope } from '../../run/journal/scope-path.js';
import { added, emptyLog, itemsOf } from '../../run/log.js';
import type { Decision, Effect, Machine, Observation } from '../../run/machine/machine.js';
import type { UnitResult } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { Registry } from '../../termination/registry.js';
import { terminations } from '../../termination/terminations.js';
import { childFailed } from './child-failed.js';
import type { PlannedItem, PlannedPhase, PlannedStage, Sequence } from './plan.js';
import { reportOf, viewOf } from './report.js';
import { isFine, isPause, type StageView } from './stage-view.js';
import type { Views } from './views.js';

/** What a pipeline, or a phase of one, wants done. */
export type SequencePlan =
  | { readonly type: 'announce'; readonly text: JsonValue }
  | { readonly type: 'before' | 'after' | 'gate'; readonly views: Views }
  | { readonly type: 'stage'; readonly stage: PlannedStage; readonly views: Views }
  | { readonly type: 'phase'; readonly phase: PlannedPhase; readonly views: Views };

type Place = 'announce' | 'before' | 'work' | 'after' | 'gate' | 'end';

interface Stop {
  readonly termination: Ending;
  readonly also?: readonly Ending[];
  /** Where a resume goes on. */
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
  readonly registry: Registry;
}

/** What the journal holds as the output of a phase. */
interface PhaseReport {
  readonly stages: readonly StageView[];
}

/** Stages one after the other: a whole pipeline, or one phase of it, which is a unit with the same machine inside. */
export function sequenceMachine(rules: SequenceRules): Machine<SequenceState, SequencePlan, undefined> {
  return {
    init: () => ({ place: 'announce', index: 0, views: emptyLog(), visits: {}, stop: null }),
    decide: (state) => decide(state, rules),
    apply: (state, observation) => apply(state, rules, observation),
    resume: (state) => (state.stop === null ? state : goOn(state, rules)),
  };
}

function decide(state: SequenceState, rules: SequenceRules): Decision<SequencePlan> {
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
      const { termination, also = [] } = stop ?? { termination: completed(rules.sequence) };
      return {
        type: 'end',
        termination,
        ...(also.length > 0 && { also }),
        ...(output !== undefined && { output }),
      };
    }
  }
}

function perform(effect: Effect<SequencePlan>): Decision<SequencePlan> {
  return { type: 'perform', effects: [effect] };
}

/** Readers of the journal learn from it what the units are that follow. */
function announcement({ sequence }: SequenceRules): JsonValue {
  const stages = sequence.items.reduce((sum, item) => sum + (item.type === 'stage' ? 1 : item.stages.length), 0);
  return { [sequence.type]: sequence.name, stages };
}

function unitEffect(item: PlannedItem, views: Views): Effect<SequencePlan> {
  if (item.type === 'stage') return { type: 'unit', key: item.name, plan: { type: 'stage', stage: item, views } };
  const { limits } = item.options;
  const plan: SequencePlan = { type: 'phase', phase: item, views };
  return { type: 'unit', key: item.name, plan, ...(limits !== undefined && { limits }) };
}

function itemAt({ index }: SequenceState, { sequence }: SequenceRules): PlannedItem {
  return sequence.items[index] as PlannedItem;
}

function completed({ items, name }: Sequence): Ending {
  return terminations.flowCompleted({ last: items.at(-1)?.name ?? name });
}

/** A phase hands on what its stages came to; a pipeline gives the output of its last stage, once that was reached. */
function outputOf({ views, stop }: SequenceState, { type, items }: Sequence): JsonValue | undefined {
  if (type === 'phase') return { stages: [...itemsOf(views)] } as unknown as JsonValue;
  const last = views.items[views.length - 1];
  const lastItem = items.at(-1);
  const lastName = lastItem?.type === 'phase' ? lastItem.stages.at(-1)?.name : lastItem?.name;
  return last !== undefined && (stop === null || last.name === lastName)
    ? (last.output as JsonValue | undefined)
    : undefined;
}

function apply(state: SequenceState, rules: SequenceRules, observation: Observation): SequenceState {
  switch (state.place) {
    case 'announce':
      return next(state, rules, 'announce');
    case 'before':
      return observation.type === 'error'
        ? stopped(state, callbackFailed(observation.error), 'before')
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

/** Goes to the next place that there is something to do at. */
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

function stopped(state: SequenceState, termination: Ending, resumeAt: Place): SequenceState {
  return { ...state, place: 'end', stop: { termination, resumeAt } };
}

function afterUnit(state: SequenceState, rules: SequenceRules, result: UnitResult): SequenceState {
  const item = itemAt(state, rules);
  if (item.type === 'phase') return afterPhase(state, rules, { item, result });
  const report = reportOf(result, rules.registry);
  const view = viewOf(item, result, report);
  const isAdvisory = item.options.disposition === 'advisory' || report.advisory === true;
  const goesOn = isFine(view.outcome) || (isAdvisory && !isPause(rules.registry, view.executor.termination));
  const views = added(state.views, view);
  if (goesOn) return behind(state, views, rules);
  const known = { ...state, views };
  const child = { name: item.name, path: report.path ?? pathOf(state, rules, item.name) };
  return failed(known, rules, childFailed({ child, result, report, registry: rules.registry }));
}

interface EndedPhase {
  readonly item: PlannedPhase;
  readonly result: UnitResult;
}

function afterPhase(state: SequenceState, rules: SequenceRules, { item, result }: EndedPhase): SequenceState {
  const { stages = [] } = (result.output ?? {}) as unknown as Partial<PhaseReport>;
  const known = { ...state, views: stages.reduce((views, stage) => added(views, frozen(stage)), state.views) };
  if (result.termination.kind === 'flow_completed') {
    return behind({ ...known, visits: visitedAgain(state, item.name) }, known.views, rules);
  }
  const child = { name: item.name, path: pathOf(state, rules, item.name) };
  return failed(known, rules, terminations.childFailed({ child, termination: result.termination }));
}

function behind(state: SequenceState, views: Views, rules: SequenceRules): SequenceState {
  const moved = { ...state, index: state.index + 1, views };
  return moved.index < rules.sequence.items.length ? moved : next(moved, rules, 'work');
}

function failed(state: SequenceState, { sequence }: SequenceRules, termination: Ending): SequenceState {
  const stop: Stop = { termination, resumeAt: 'work' };
  return { ...state, place: sequence.after === undefined ? 'end' : 'after', stop };
}

function afterCallback(state: SequenceState, rules: SequenceRules, observation: Observation): SequenceState {
  const { stop } = state;
  if (observation.type !== 'error') return stop === null ? next(state, rules, 'after') : { ...state, place: 'end' };
  const failure = callbackFailed(observation.error);
  if (stop === null) return stopped(state, failure, 'after');
  return { ...state, place: 'end', stop: { ...stop, also: [failure] } };
}

function afterGate(state: SequenceState, rules: SequenceRules, observation: Observation): SequenceState {
  if (observation.type === 'error') return stopped(state, callbackFailed(observation.error), 'gate');
  const said = observation.type === 'value' ? observation.value : undefined;
  if (typeof said !== 'string') return next(state, rules, 'gate');
  return stopped(state, terminations.criteriaUnmet({ criteria: [said] }), 'gate');
}

function callbackFailed(error: ErrorData): Ending {
  return terminations.failed({ error, origin: 'stage', errorClass: classifyError(error) });
}

/** What stopped it is tried again. A unit that the journal has not taken up itself gets a new visit. */
function goOn(state: SequenceState, rules: SequenceRules): SequenceState {
  const place = state.stop?.resumeAt ?? state.place;
  const resumed = { ...state, place, stop: null };
  if (place !== 'work') return resumed;
  const item = itemAt(state, rules);
  return { ...resumed, views: viewsBefore(item, state.views), visits: visitedAgain(state, item.name) };
}

/** What ended before a stage or a phase: what was known of itself is told again when it is through. */
function viewsBefore(item: PlannedItem, { items, length }: Views): Views {
  const own = (item.type === 'stage' ? [item] : item.stages).map(({ name }) => name);
  let before = length;
  while (before > 0 && own.includes((items[before - 1] as StageView).name)) before -= 1;
  return { items, length: before };
}

function visitedAgain(state: SequenceState, name: string): SequenceState['visits'] {
  return { ...state.visits, [name]: visitsOf(state, name) + 1 };
}

/** A name may be one that every object has, such as `constructor`. */
function visitsOf({ visits }: SequenceState, name: string): number {
  return Object.hasOwn(visits, name) ? (visits[name] ?? 0) : 0;
}

function pathOf(state: SequenceState, { scope }: SequenceRules, name: string): string {
  return makeScope(scope, makePart({ name, visit: visitsOf(state, name) + 1 }));
}
