import { itemsOf } from '../../run/log.js';
import { readJsonText, valueToJson } from '../../template/json-text.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import { terminations } from '../../termination/terminations.js';
import { groupTypeOf } from '../graph/group-types.js';
import type { GroupUnit, Unit } from '../graph/unit.js';
import { isEnforced } from './budget-in-force.js';
import { endWith, fail, failureOf, observe } from './fail.js';
import { beginGroup, settleGroup, stoppedMember } from './groups.js';
import { storeOutput } from './outputs.js';
import type { Program } from './program.js';
import type { Draft, GroupProgress, Phase, Verdict } from './state.js';
import { addCount, countOf } from './tally.js';

/** Goes to a step or group: checks that there is one and that the limit leaves room for it. */
export function enter(draft: Draft, program: Program, name: string): void {
  draft.at = name;
  draft.phase = 'stepping';
  draft.group = null;
  draft.current = null;
  draft.choice = null;
  const node = program.nodes.get(name);
  if (node === undefined) {
    const message = `Agent, parallel group, or for-each group not found: ${name}`;
    fail(draft, program, failureOf({ error: { name: 'ExecutionError', message }, errorClass: 'configuration' }));
    return;
  }
  if (isBeyondLimit(draft, program, node)) {
    reachLimit(draft, program, node);
    return;
  }
  draft.entered = addCount(draft.entered, name);
  announce(draft, program, node);
  const size = node.type === 'step' ? undefined : groupTypeOf(node).size(node);
  if (size !== undefined) draft.group = beginGroup(size, []);
  if (program.document.workflow.context.max_tokens !== undefined) draft.phase = 'trimming';
  else draft.phase = phaseOf(draft, node);
}

/** An explicit end is never pre-empted by the limit. */
function isBeyondLimit({ iterations, maxIterations }: Draft, { steps }: Program, node: Unit): boolean {
  if (node.type === 'step') return !steps.of(node.step).shape.endsWorkflow && iterations >= maxIterations;
  return iterations + (groupTypeOf(node).size(node) ?? 1) > maxIterations;
}

/** The items of a group that is not begun are listed first. */
export function phaseOf({ group }: Draft, node: Unit | undefined): Phase {
  return group === null && node !== undefined && node.type !== 'step' ? 'listing' : 'stepping';
}

function reachLimit(draft: Draft, program: Program, node: Unit): void {
  const { iterations, maxIterations } = draft;
  const members = node.type === 'step' ? undefined : groupTypeOf(node).size(node);
  observe(draft, {
    type: 'limit_reached',
    step: node.name,
    limit: maxIterations,
    used: iterations,
    ...(members !== undefined && { members }),
  });
  endWith(
    draft,
    program,
    terminations.maxIterations({ limit: maxIterations, used: Math.max(iterations, maxIterations), unit: 'step' }),
  );
}

/** Notifies live progress; some steps are over before anyone could look. */
function announce(draft: Draft, { steps }: Program, node: Unit): void {
  if (node.type === 'step' && !steps.of(node.step).machine.isAnnounced) return;
  const kind = node.type === 'step' ? node.step.type : node.type;
  const iteration = countOf(draft.entered, node.name);
  const members = node.type === 'step' ? {} : groupTypeOf(node).describe(node);
  observe(draft, { type: 'step_started', step: node.name, kind, iteration, ...members });
}

/** Keeps the output of the step or group at hand and counts it. */
export function keep(draft: Draft, program: Program, text: string, iterations = 1): void {
  draft.outputs = storeOutput(draft.outputs, draft.at, text);
  draft.iterations += iterations;
  draft.current = text;
  draft.phase = 'routing';
  draft.group = null;
  checkBudget(draft, program);
}

/** Audit only reports, once for every whole budget; enforce ends the run. */
function checkBudget(draft: Draft, program: Program): void {
  const { budget_mode: mode } = program.document.workflow.limits;
  const { spent, budgetUsd: budget } = draft;
  if (budget === null || spent.costUsd < budget) return;
  // Used up is used up where the budget is a limit; a report says that it was exceeded.
  if (spent.costUsd === budget && !isEnforced(program)) return;
  const budgets = Math.floor(spent.costUsd / budget);
  if (budgets > spent.budgetsReported || spent.budgetsReported === 0) {
    draft.spent = { ...spent, budgetsReported: Math.max(1, budgets) };
    const unknown = spent.unpriced ? { unpriced: true } : {};
    observe(draft, {
      type: 'budget_exceeded',
      step: draft.at,
      budgetUsd: budget,
      spentUsd: spent.costUsd,
      mode,
      ...unknown,
    });
  }
  if (mode === 'enforce')
    endWith(
      draft,
      program,
      terminations.costBudget({
        limitUsd: budget,
        usedUsd: spent.costUsd,
        ...(spent.estimated === true && { estimated: true }),
      }),
    );
}

/** Takes in what the routes after a step said. */
export function applyRoute(draft: Draft, program: Program, verdict: Verdict): void {
  const { to, problem, output } = verdict;
  observe(draft, routeObservation(draft, verdict));
  if (problem !== undefined) endRouting(draft, program, verdict);
  else if (to === undefined) {
    endWith(
      draft,
      program,
      terminations.noRoute({ step: draft.at, output: valueToJson(readJsonText(draft.current ?? 'null')) }),
    );
  } else goTo(draft, program, { to, output });
}

/** Where the step led and why, with the counters at this point: what `why` and `what-if` read. */
function routeObservation({ at, iterations, maxIterations, spent }: Draft, verdict: Verdict): JsonObject {
  const { to, route, when, values } = verdict;
  const observation: Record<string, JsonValue> = { type: 'route', from: at };
  // Assigned one by one, because every step makes one of these.
  if (to !== undefined) observation['to'] = to;
  if (route !== undefined) observation['route'] = route;
  if (when !== undefined) observation['when'] = when;
  if (values !== undefined) observation['values'] = values;
  observation['iterations'] = iterations;
  observation['limit'] = maxIterations;
  observation['costUsd'] = spent.costUsd;
  if (spent.unpriced) observation['unpriced'] = true;
  return observation;
}

/** A condition or an output that cannot be rendered ends the workflow, unless the step has a route for that. */
function endRouting(draft: Draft, program: Program, { problem }: Verdict): void {
  if (problem !== undefined) endWith(draft, program, failureOf(problem).termination);
}

function goTo(draft: Draft, program: Program, { to, output }: { to: string; output: string | undefined }): void {
  if (to !== '$end') enter(draft, program, to);
  else endWith(draft, program, terminations.flowCompleted({ last: draft.at }), output ?? '{}');
}

/** Takes in what the error routes of a failed step said; when none applies, the failure ends the workflow. */
export function applyRecovery(draft: Draft, program: Program, verdict: Verdict): void {
  const { failure } = draft;
  const { to, problem, output, route } = verdict;
  if (problem !== undefined) {
    endWith(draft, program, failureOf(problem).termination);
    return;
  }
  if (to === undefined) {
    if (failure !== null) endWith(draft, program, failure.termination);
    return;
  }
  draft.iterations += 1;
  if (failure !== null) draft.caught = { step: draft.at, failure };
  draft.failure = null;
  draft.group = null;
  observe(draft, { type: 'error_route', from: draft.at, to, ...(route !== undefined && { route }) });
  // A step that fails has spent too: without this, one that is led back to for ever would never be stopped.
  checkBudget(draft, program);
  if (draft.ending === null) goTo(draft, program, { to, output });
}

/** Continues after a group whose members are all done. */
export function followGroup(draft: Draft, program: Program): void {
  const node = program.nodes.get(draft.at) as GroupUnit;
  const size = draft.group?.size ?? 0;
  const stopped = stoppedMember(node, itemsOf((draft.group as GroupProgress).results)) !== undefined;
  const settled = settleGroup(draft, node, program);
  if (!('output' in settled)) {
    observe(draft, {
      type: 'group_failed',
      step: draft.at,
      mode: node.group.failure_mode,
      ...(stopped && { stopped }),
    });
    fail(draft, program, settled);
    return;
  }
  if (size > 0) observe(draft, { type: 'group_completed', step: draft.at });
  keep(draft, program, settled.output, size);
}
