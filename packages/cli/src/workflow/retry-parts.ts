import type { Engine } from 'fullstop/engine';
import type { LoadWorkflowOptions, Workflow } from 'fullstop/workflow';
import type { RunStart } from './run-start.js';

export interface RetryQuestion {
  readonly engine: Engine;
  readonly runId: string;
  /** How the old run was started. */
  readonly before: RunStart;
  readonly models: LoadWorkflowOptions;
  /** The file as it is now, instead of as it was. */
  readonly useCurrent: boolean;
}

/** The workflow with which a run is tried again. */
export async function workflowToRetry({ engine, runId, before, models, useCurrent }: RetryQuestion): Promise<Workflow> {
  const { loadWorkflow, workflowOfRun } = await import('fullstop/workflow');
  const options = { ...models, lenient: before.options.lenient };
  return useCurrent ? loadWorkflow(before.source.file, options) : workflowOfRun(engine, runId, options);
}

/** The inputs of before as JSON text, of which others are replaced. */
export function retriedInputs(before: Pick<RunStart, 'inputs'>, others: string): string {
  // As texts, so that 1.0 stays 1.0: of a name that stands twice the last one counts.
  const members = [before.inputs, others].map((text) => text.trim().slice(1, -1).trim());
  return `{${members.filter((text) => text !== '').join(', ')}}`;
}
