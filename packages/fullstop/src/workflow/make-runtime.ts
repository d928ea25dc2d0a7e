import type { LoadedFile } from './graph/loaded-file.js';
import type { LoadedDocument } from './load/load-document.js';
import type { WorkflowStart } from './machine/machine.js';
import { type Program, programOf } from './machine/program.js';
import type { Environment } from './perform/environment.js';
import type { Started } from './perform/program/started-processes.js';
import { directoryOf, type PerformRow, type Runtime, workflowValueOf } from './perform/runtime.js';
import { childOf, childRuntime } from './perform/units/sub-workflow.js';
import type { StoredOptions } from './run-input.js';
import { seedOf } from './seed-of.js';

/** A document together with what follows from it. */
export interface Version {
  readonly loaded: LoadedDocument;
  readonly program: Program;
  readonly environment: Environment;
}

/** The program of the sub-workflow that a spawned run is. */
export function programInside(
  { loaded, program }: Version,
  inside: readonly string[] | undefined,
  lenient: boolean,
): Program {
  if (inside === undefined) return program;
  return programOf(
    inside.reduce<LoadedFile<PerformRow>>(
      (outer, workflow) => childOf({ loaded: outer }, { name: workflow, workflow }),
      loaded,
    ),
    lenient,
  );
}

interface Starting {
  readonly scope: string;
  readonly skipGates: boolean;
  readonly maxIterations?: number;
  /** Unlike the file, what a run began with does not change. */
  readonly budgetUsd?: number | null;
}

/** The beginning of a workflow, with the limits of its file where none are given. */
export function startOf(
  { document }: Program,
  { scope, skipGates, maxIterations, budgetUsd }: Starting,
): WorkflowStart {
  const { limits } = document.workflow;
  return {
    scope,
    skipGates,
    maxIterations: maxIterations ?? limits.max_iterations,
    budgetUsd: budgetUsd === undefined ? (limits.budget_usd ?? null) : budgetUsd,
  };
}

interface Running extends Started {
  readonly given: string;
  /** The seed of everything random. */
  readonly seed: string;
  readonly spawner: Runtime['spawner'];
  readonly children?: Runtime['children'];
}

/** The workflow of a run, or the sub-workflow that a spawned run is. */
export function runtimeOf(
  { loaded, program, environment }: Version,
  { given, seed, mcp, programs, spawner, children = new Map() }: Running,
): Runtime {
  const { inside = [], ...options } = spawner?.options ?? {};
  const outermost: Runtime = {
    program,
    loaded,
    given,
    depth: 0,
    parents: [],
    seed: seedOf(seed),
    environment,
    mcp,
    programs,
    preamble: program.document.workflow.instructions,
    provider: program,
    workflowValue: workflowValueOf(program, loaded, directoryOf(loaded)),
    spawner: spawner && { ...spawner, options: options as StoredOptions },
    children,
  };
  return inside.reduce((runtime, file) => childRuntime(runtime, file, given), outermost);
}
