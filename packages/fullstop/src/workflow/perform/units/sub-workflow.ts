import { resolve } from 'node:path';
import { withoutAttempt } from '../../../run/journal/scope-path.js';
import { drive } from '../../../run/machine/drive.js';
import { keepLatest, type LiveRun } from '../../../run/machine/live-runs.js';
import type { RunEnd } from '../../../run/run-context.js';
import { TemplateError } from '../../../template/template-error.js';
import type { Ending } from '../../../termination/ending.js';
import type { JsonValue } from '../../../termination/json.js';
import type { LoadedFile } from '../../graph/loaded-file.js';
import { type WorkflowStart, workflowMachine } from '../../machine/machine.js';
import { type Program, programOf } from '../../machine/program.js';
import type { UnitOutcome, WorkflowState } from '../../machine/state.js';
import { attempt, type Problem, StepProblem } from '../../machine/step-problem.js';
import type { WorkflowStep } from '../../schema/steps/workflow.js';
import { mapText } from '../routes.js';
import type { StepContext } from '../runtime.js';
import { directoryOf, type PerformRow, type Runtime, workflowValueOf } from '../runtime.js';
import { render } from '../scope/render.js';
import { renderingOf } from '../scope/scopes.js';
import { inputProblems } from '../start.js';
import { coerceMapping } from '../values/coerce.js';
import { limitCost } from './limit-cost.js';
import { spawnWorkflow } from './spawn-workflow.js';
import { failUnit } from './unit-end.js';

const deepest = 10;
/** A file that runs itself for each item would grow by the number of items with every level. */
const mostRecursive = 1000;

interface Prepared {
  readonly inputs?: string;
  /** The limits that it began with: a file that is changed later must not change what was decided by them. */
  readonly limits?: Pick<WorkflowStart, 'maxIterations' | 'budgetUsd'>;
  readonly problem?: Problem;
  /** The part that failed: rendering the inputs, or finding the file. */
  readonly stage?: 'mapping' | 'file';
}

/** Runs another workflow file inside this one: own context, own limits, the same ledger. */
export async function subWorkflow(step: WorkflowStep, given: StepContext): Promise<RunEnd<Ending>> {
  const { context, runtime, state } = given;
  const prepared: Prepared = await context.record('load', () => {
    const inputs = attempt(() => inputsFor(step, given));
    if ('problem' in inputs) return { problem: inputs.problem, stage: 'mapping' };
    const found = attempt(() => checkChild(step, runtime, inputs.value));
    if ('problem' in found) return { problem: found.problem, stage: 'file' };
    return { inputs: inputs.value, limits: limitsOf(childOf(runtime, step)) };
  });
  if (prepared.problem !== undefined) return failUnit(prepared.problem);
  const child = childRuntime(runtime, step.workflow, prepared.inputs ?? '{}');
  const limits = prepared.limits ?? limitsOf(child.program);
  if (isSpawned(given)) return spawnWorkflow(step, given, { child, limits });
  const input: WorkflowStart = { scope: context.scope, ...limits, skipGates: state.skipGates };
  limitCost(context, child, input);
  const live: LiveRun<WorkflowState> = { state: undefined };
  const machine = keepLatest(workflowMachine(child.program), live);
  runtime.children.set(withoutAttempt(context.scope), { runtime: child, state: () => live.state });
  const ended = await drive({ machine, performer: given.performerOf(child), context, input });
  return { ...ended, output: outcomeOf(live.state) as unknown as JsonValue };
}

/** True for a member of a group whose members are runs of their own. */
function isSpawned({ runtime, member }: StepContext): boolean {
  const node = member === undefined ? undefined : runtime.program.nodes.get(member.group);
  return node !== undefined && node.type !== 'step' && node.group.spawn === 'queue';
}

function limitsOf({ document }: Pick<Program, 'document'>): NonNullable<Prepared['limits']> {
  const { max_iterations: maxIterations, budget_usd: budgetUsd = null } = document.workflow.limits;
  return { maxIterations, budgetUsd };
}

/** The outcome of a sub-workflow for its parent, however it ended. */
function outcomeOf(state: WorkflowState | undefined): UnitOutcome {
  const { output, spent } = state ?? {};
  const isUnpriced = spent?.unpriced === true;
  const costUsd = isUnpriced && spent.costUsd === 0 ? null : (spent?.costUsd ?? 0);
  return {
    output: output ?? 'null',
    costUsd,
    tokens: spent?.tokens ?? 0,
    ...(spent?.estimated === true && { estimated: true }),
    ...(isUnpriced && { unpriced: true }),
  };
}

/** The sub-workflow must be there, not too deep, and content with its inputs. */
function checkChild(step: WorkflowStep, runtime: Runtime, inputs: string): void {
  const { depth, program } = runtime;
  if (step.max_depth !== undefined && depth >= step.max_depth) {
    throw new StepProblem('ExecutionError', `Sub-workflow '${step.name}': max_depth (${step.max_depth}) exceeded`);
  }
  if (depth >= deepest) {
    throw new StepProblem('ExecutionError', `Sub-workflow '${step.name}': depth limit exceeded (${deepest})`);
  }
  const { document, file } = childOf(runtime, step);
  const runsItself = [...runtime.parents, runtime.loaded.file].some((parent) => resolve(parent) === resolve(file));
  if (runsItself && runtime.children.size >= mostRecursive) {
    const message = `Sub-workflow '${step.name}': '${step.workflow}' runs itself, and this run has ${mostRecursive} sub-workflows already`;
    throw new StepProblem('ExecutionError', message, { code: 'TOO_MANY_SUB_WORKFLOWS' });
  }
  const [problem] = program.lenient ? [] : inputProblems(document.workflow.input, inputs);
  if (problem !== undefined) throw new StepProblem('ValidationError', `Sub-workflow '${step.name}': ${problem}`);
}

/** JSON text of the inputs: those that the step maps, or those of this workflow. */
function inputsFor(step: WorkflowStep, given: StepContext): string {
  if (step.input_mapping === undefined) return given.state.inputs;
  const rendering = renderingOf(step, given);
  return mapText(
    [...step.input_mapping].map(([name, template]) => {
      try {
        return [name, coerceMapping(render(rendering, template))] as const;
      } catch (error) {
        throw mappingError(step, name, error);
      }
    }),
  );
}

/** Names the input that cannot be rendered. */
function mappingError(step: WorkflowStep, name: string, error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error;
  const message = `Failed to render input_mapping key '${name}' of '${step.name}': ${error.message}`;
  return new StepProblem('ExecutionError', message, { cause: error });
}

/** The file of a sub-workflow, loaded. */
export function childOf(
  { loaded }: Pick<Runtime, 'loaded'>,
  step: Pick<WorkflowStep, 'name' | 'workflow'>,
): LoadedFile<PerformRow> {
  const result = loaded.child(step.workflow);
  if (result.ok) return result.loaded;
  const [first] = result.problems.filter(({ severity }) => severity === 'error');
  if (first?.code === 'FILE_NOT_FOUND' || first === undefined) {
    throw new StepProblem('ExecutionError', `Sub-workflow file not found: ${step.workflow} (for '${step.name}')`);
  }
  const why = first.message;
  throw new StepProblem('ExecutionError', `Failed to load sub-workflow '${step.workflow}': ${why}`);
}

const programs = new WeakMap<LoadedFile<PerformRow>, Program>();

/** The sub-workflow of a file, inside another one. */
export function childRuntime(parent: Runtime, workflow: string, given: string): Runtime {
  const loaded = childOf(parent, { name: workflow, workflow });
  const { spawner } = parent;
  const inside = [...(spawner?.options.inside ?? []), workflow];
  const program = programs.get(loaded) ?? programOf(loaded, parent.program.lenient);
  programs.set(loaded, program);
  return {
    ...parent,
    program,
    loaded,
    given,
    depth: parent.depth + 1,
    parents: [...parent.parents, parent.loaded.file],
    preamble: [...parent.preamble, ...program.document.workflow.instructions],
    workflowValue: workflowValueOf(program, loaded, directoryOf(loaded)),
    spawner: spawner && { ...spawner, options: { ...spawner.options, inside } },
  };
}
