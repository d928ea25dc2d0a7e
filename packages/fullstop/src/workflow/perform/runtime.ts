import { dirname, resolve } from 'node:path';
import type { MachinePerformer } from '../../run/machine/machine.js';
import type { RunContext, RunEnd, Spawnable, StepAttempt } from '../../run/run-context.js';
import { Dict } from '../../template/dict.js';
import { readJsonText } from '../../template/json-text.js';
import type { Value } from '../../template/value.js';
import type { Ending } from '../../termination/ending.js';
import type { LoadedFile } from '../graph/loaded-file.js';
import type { MemberPlace, WorkflowPlan } from '../machine/plan.js';
import type { MachineRow, Program } from '../machine/program.js';
import type { WorkflowState } from '../machine/state.js';
import type { StoredOptions, StoredSource } from '../run-input.js';
import type { Step } from '../schema/document.js';
import type { McpServers } from './agent/mcp.js';
import type { Environment } from './environment.js';
import type { ProcessGroups } from './program/process-groups.js';

/** The part of a step type that the performer reads. */
export interface PerformRow extends MachineRow {
  readonly performer: StepPerformer<Step>;
}

/** How the steps of one type are performed, by the effect that the machine asks for. */
export type StepPerformer<S> = RecordPerformer<S> | StepWork<S> | UnitPerformer<S>;

/** A step made of templates alone. */
export interface RecordPerformer<S> {
  readonly effect: 'record';
  record(step: S, given: StepView): unknown;
  /** The same as a member of a group, where a failure is thrown. */
  performMember(step: S, given: StepView): unknown;
}

/** A step whose outcome is journalled. */
export interface StepWork<S> {
  readonly effect: 'step';
  perform(step: S, given: StepView & { readonly attempt: StepAttempt }): unknown;
}

/** A step with a scope and an ending of its own. */
export interface UnitPerformer<S> {
  readonly effect: 'unit';
  perform(step: S, given: StepContext): Promise<RunEnd<Ending>>;
  /** The models that the step asks, so that a run without one of them is refused before it starts. */
  wantedModels?(step: S): readonly { readonly provider: string | undefined; readonly model: string | undefined }[];
}

/** Where a step is performed. */
export interface StepView {
  readonly runtime: Runtime;
  readonly state: WorkflowState;
  readonly member?: MemberPlace | undefined;
}

/** Where a step that is a unit of its own is performed. */
export interface StepContext extends StepView {
  readonly context: RunContext;
  /** How the steps of another workflow are performed. */
  performerOf(runtime: Runtime): MachinePerformer<WorkflowPlan>;
}

/** One workflow of a run: the run's own, or a sub-workflow inside it. */
export interface Runtime {
  readonly program: Program;
  readonly loaded: LoadedFile<PerformRow>;
  /** JSON text of the inputs that were given, before defaults. */
  readonly given: string;
  /** 0 for the run itself. */
  readonly depth: number;
  /** The files of the workflows around this one. */
  readonly parents: readonly string[];
  /** The same on every replay; where `random` starts. */
  readonly seed: number;
  readonly environment: Environment;
  readonly mcp: McpServers;
  readonly programs: ProcessGroups;
  /** The text before every prompt, from the parents of this workflow. */
  readonly preamble: readonly string[];
  /** The definitions of providers that count: those of the outermost workflow. */
  readonly provider: Program;
  readonly workflowValue: WorkflowValue;
  /** How its sub-workflows become runs of their own; absent where the workflow is a part of a run of something else. */
  readonly spawner: Spawner | undefined;
  /** The sub-workflows that ran in this process, by the paths of their units. */
  readonly children: Map<string, LiveChild>;
}

/** The definition that executes spawned runs too, and the input of the run at hand. */
export interface Spawner {
  readonly definition: Spawnable;
  readonly source: StoredSource;
  readonly options: StoredOptions;
}

/** A sub-workflow and where it is. */
export interface LiveChild {
  readonly runtime: Runtime;
  state(): WorkflowState | undefined;
}

/** Where relative paths of a workflow file begin. */
export function directoryOf({ file }: LoadedFile<unknown>): string {
  return dirname(resolve(file));
}

/** Makes the value of the name `workflow`, once per set of inputs. */
export type WorkflowValue = (inputs: string) => Dict;

export function workflowValueOf({ document }: Program, loaded: LoadedFile<unknown>, directory: string): WorkflowValue {
  let known: { readonly inputs: string; readonly value: Dict } | undefined;
  return (inputs) => {
    if (known?.inputs !== inputs) {
      const value = new Dict()
        .setText('input', readJsonText(inputs))
        .setText('dir', directory)
        .setText('file', loaded.file)
        .setText('name', document.workflow.name)
        .setText('description', document.workflow.description ?? '');
      known = { inputs, value };
    }
    return known.value;
  };
}

/** The same with other inputs, for steps that may see only some of them. */
export function withInputs(workflow: Dict, inputs: Value): Dict {
  return workflow.copy().setText('input', inputs);
}
