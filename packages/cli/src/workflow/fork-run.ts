import type { JsonObject } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import { type Fork, fork, type JournalEntry } from 'fullstop/journal';
import { UsageError } from '../command-line/usage-error.js';
import { isWorkflowRun } from '../journal/is-workflow-run.js';
import { retriedInputs } from './retry-parts.js';
import { readRunStart } from './run-start.js';

export interface ForkWish {
  readonly at: number;
  readonly newId: string;
  readonly by: string;
  /** Inputs of a workflow that are to be other ones, as the JSON text of an object. */
  readonly inputs?: string | undefined;
}

/** Forks a run at an entry, with other inputs where some are given. */
export async function forkRun(
  engine: Engine,
  journal: readonly JournalEntry[],
  { at, newId, by, inputs }: ForkWish,
): Promise<Fork> {
  const runId = journal[0]?.runId ?? '';
  return fork(engine, runId, { at, runId: newId, by, ...(inputs !== undefined && otherInput(runId, journal, inputs)) });
}

function otherInput(runId: string, journal: readonly JournalEntry[], inputs: string): { readonly input: JsonObject } {
  if (!isWorkflowRun(journal))
    throw new UsageError(`${runId} is no run of a workflow file, so that its inputs cannot be changed here.`);
  const before = readRunStart(journal);
  return { input: { ...before, inputs: retriedInputs(before, inputs) } as unknown as JsonObject };
}
