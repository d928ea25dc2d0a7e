import { readChanges } from '../../run/changes/resume-changes.js';
import { emptyLog, itemsOf } from '../../run/log.js';
import type {
  Machine,
  MachineDecision,
  MachineObservation,
  MachinePast,
  SegmentOpening,
} from '../../run/machine/machine.js';
import { readJsonText, valueToJson } from '../../template/json-text.js';
import { assertNever } from '../../termination/assert-never.js';
import { outcome } from '../../termination/classify.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import { isRecordKey } from '../graph/workflow-key.js';
import { applyRecovery, applyRoute, enter, followGroup, phaseOf } from './advance.js';
import { applyStep, type SteppedOn } from './apply-step.js';
import { budgetAfter, usesCurrentFile } from './budget-in-force.js';
import { performing, recording } from './effects.js';
import { fail, failureOf, observe, plain } from './fail.js';
import { beginGroup, withoutFailures, withoutPauses } from './groups.js';
import { noOutputs, trimOutputs } from './outputs.js';
import type { WorkflowPlan } from './plan.js';
import type { Program } from './program.js';
import type {
  Draft,
  GroupProgress,
  HookOutcome,
  ItemsOutcome,
  StartOutcome,
  TrimOutcome,
  Verdict,
  WorkflowState,
} from './state.js';
import { addCount, emptyTally } from './tally.js';

/** The settings that a workflow begins with. */
export interface WorkflowStart {
  /** The path of its unit, empty for a run of its own. */
  readonly scope: string;
  readonly maxIterations: number;
  readonly budgetUsd: number | null;
  readonly skipGates: boolean;
}

/** A workflow as a fold. One instance serves one execution: it knows which observations were handed out. */
export function workflowMachine(program: Program): Machine<WorkflowState, WorkflowPlan, WorkflowStart> {
  let handedOut = 0;
  let past: MachinePast | undefined;
  return {
    recall: (journal) => {
      past = journal;
    },
    init: (start) => startState(program, start),
    decide: (state) => decide(state, program),
    apply: (state, observation) => {
      const draft: Draft = { ...state };
      apply(draft, program, { observation, ahead: past && { past, handedOut } });
      return draft;
    },
    resume: (state, opening) => {
      const draft: Draft = { ...state };
      resume(draft, program, opening);
      return draft;
    },
    observe: ({ observations }) => {
      if (observations.length === handedOut) return undefined;
      const fresh = observations.items.slice(handedOut, observations.length);
      handedOut = observations.length;
      return fresh;
    },
  };
}

function startState(
  { document }: Program,
  { scope, maxIterations, budgetUsd, skipGates }: WorkflowStart,
): WorkflowState {
  return {
    phase: 'starting',
    scope,
    at: document.workflow.entry_point,
    inputs: '{}',
    outputs: noOutputs(),
    entered: emptyTally(),
    iterations: 0,
    maxIterations,
    budgetUsd,
    skipGates,
    current: null,
    choice: null,
    group: null,
    failure: null,
    caught: null,
    spent: { costUsd: 0, tokens: 0, unpriced: false, budgetsReported: 0 },
    modelAsked: false,
    resumed: 0,
    resumedAt: 0,
    ending: null,
    output: null,
    hook: null,
    stopped: [],
    observations: emptyLog(),
  };
}

function decide(state: WorkflowState, program: Program): MachineDecision<WorkflowPlan> {
  // Members of a group are performed together; a notification about one of them waits for the others.
  const isInGroup = state.ending === null && state.group !== null && state.phase === 'stepping';
  if (state.stopped.length > 0 && !isInGroup) return recording('tell', state);
  if (state.ending === null) return performing(state, program);
  if (state.hook !== null) return recording('hook', state);
  return { type: 'end', termination: state.ending, ...(state.output !== null && { output: jsonOf(state.output) }) };
}

/** The final output for whoever does not care about `1.0`; a unit's has the text itself. */
function jsonOf(text: string): JsonValue {
  return valueToJson(readJsonText(text));
}

function apply(draft: Draft, program: Program, stepped: SteppedOn): void {
  const { observation } = stepped;
  if (isRecordKey(observation.key, 'tell')) {
    applyTelling(draft, recordOf<HookOutcome>(observation));
    return;
  }
  if (draft.ending !== null) {
    applyHook(draft, recordOf<HookOutcome>(observation));
    return;
  }
  switch (draft.phase) {
    case 'starting':
      applyStart(draft, program, recordOf<StartOutcome>(observation));
      return;
    case 'trimming':
      applyTrim(draft, program, recordOf<TrimOutcome>(observation));
      return;
    case 'listing':
      applyItems(draft, program, recordOf<ItemsOutcome>(observation));
      return;
    case 'stepping':
      applyStep(draft, program, stepped);
      return;
    case 'routing':
      applyRoute(draft, program, recordOf<Verdict>(observation));
      return;
    case 'recovering':
      applyRecovery(draft, program, recordOf<Verdict>(observation));
      return;
    default:
      assertNever('Unknown phase', draft.phase);
  }
}

/** A record of ours says what failed as its value; an error is a defect, and becomes a failure like any other. */
function recordOf<T>(observation: MachineObservation): T {
  if (observation.type === 'value') return (observation.value ?? {}) as unknown as T;
  if (observation.type === 'error')
    return { problem: { error: observation.error, errorClass: 'internal' } } as unknown as T;
  throw new Error(`The workflow got ${observation.type} where it asked for a record.`);
}

function applyStart(draft: Draft, program: Program, { inputs, problem, hook }: StartOutcome): void {
  observe(draft, { type: 'workflow_started', entry: draft.at, ...(hook !== undefined && { hook: hookJson(hook) }) });
  if (problem !== undefined) {
    fail(draft, program, failureOf(problem));
    return;
  }
  draft.inputs = inputs ?? '{}';
  enter(draft, program, draft.at);
}

function applyTrim(draft: Draft, program: Program, { changed = {} }: TrimOutcome): void {
  for (const [name, text] of Object.entries(changed))
    draft.outputs = trimOutputs(draft.outputs, name, text ?? undefined);
  if (Object.keys(changed).length > 0) observe(draft, { type: 'context_trimmed', steps: Object.keys(changed) });
  const node = program.nodes.get(draft.at);
  draft.phase = phaseOf(draft, node);
}

function applyItems(draft: Draft, program: Program, { items = [], problem }: ItemsOutcome): void {
  if (problem !== undefined) {
    fail(draft, program, failureOf(problem));
    return;
  }
  draft.group = beginGroup(items.length, items);
  if (items.length === 0) {
    followGroup(draft, program);
    return;
  }
  observe(draft, { type: 'group_started', step: draft.at, keys: items.map(({ key }) => key) });
  draft.phase = 'stepping';
}

function applyHook(draft: Draft, outcome: HookOutcome): void {
  observe(draft, { type: 'hook', ...hookJson(outcome) });
  draft.hook = null;
}

/** The hook of a sub-workflow that its time limit stopped. */
function applyTelling(draft: Draft, outcome: HookOutcome): void {
  const [child, ...others] = draft.stopped;
  draft.stopped = others;
  observe(draft, { type: 'hook', ...hookJson(outcome), of: child?.path ?? '' });
}

function hookJson({ name, text, problem }: HookOutcome): JsonObject {
  return { name, ...(text !== undefined && { text }), ...(problem !== undefined && { error: plain(problem.error) }) };
}

/** Continues in the next segment: what failed is tried again, what is done stays done, new limits hold from here on. */
function resume(draft: Draft, program: Program, opening: SegmentOpening): void {
  const wasPaused = opening.ending !== undefined && outcome(opening.ending) === 'paused';
  draft.resumed += 1;
  // An answer asks for nothing but to continue: what failed before stands, as it does for a member that was not asked.
  if (!wasPaused) draft.resumedAt = opening.at;
  if (usesCurrentFile(opening)) {
    const { max_iterations } = program.document.workflow.limits;
    // The start of a run may have been given more steps than its file says.
    draft.maxIterations = draft.scope === '' ? Math.max(draft.maxIterations, max_iterations) : max_iterations;
  }
  draft.budgetUsd = budgetAfter(program, { scope: draft.scope, budget: draft.budgetUsd, opening });
  applyChanges(draft, opening);
  // A unit that is resumed is still running, so there is nothing to begin anew; one that had succeeded when it was
  // stopped from outside has nothing left to do.
  if (draft.ending === null || outcome(draft.ending) === 'succeeded') return;
  draft.ending = null;
  draft.output = null;
  draft.hook = null;
  draft.stopped = [];
  draft.failure = null;
  switch (draft.phase) {
    case 'starting':
    case 'routing':
      return;
    case 'trimming':
    case 'listing':
    case 'stepping':
    case 'recovering':
      if (draft.group === null) enter(draft, program, draft.at);
      else continueGroup(draft, wasPaused ? withoutPauses(draft.group) : withoutFailures(draft.group));
      return;
    default:
      assertNever('Unknown phase', draft.phase);
  }
}

function continueGroup(draft: Draft, group: GroupProgress): void {
  draft.group = group;
  draft.entered = addCount(draft.entered, draft.at);
  draft.phase = 'stepping';
}

function applyChanges(draft: Draft, { options }: SegmentOpening): void {
  const { stopWhen = [], maxIterations = countIn(stopWhen) } = readChanges(options, draft.scope, true);
  if (maxIterations !== undefined) draft.maxIterations = maxIterations;
  const { changes } = options;
  if (isObject(changes) && typeof changes['skipGates'] === 'boolean') draft.skipGates = changes['skipGates'];
}

/** The number of steps in conditions: a body around this one raises the count of whatever it is by them. */
function countIn(conditions: readonly JsonObject[]): number | undefined {
  const limit = conditions.find(({ type }) => type === 'maxIterations')?.['limit'];
  return typeof limit === 'number' ? limit : undefined;
}

/** The observations of the workflow so far, for results. */
export function observationsOf(state: WorkflowState): readonly JsonObject[] {
  return itemsOf(state.observations);
}
