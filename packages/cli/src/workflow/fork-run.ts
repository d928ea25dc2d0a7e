import type { JsonObject } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import { type Fork, type ForkOptions, fork, type JournalEntry } from 'fullstop/journal';
import { UsageError } from '../command-line/usage-error.js';
import { isObject } from '../journal/is-object.js';
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
  return fork(engine, runId, {
    at,
    runId: newId,
    by,
    ...(inputs !== undefined && otherInput(runId, journal, { at, inputs })),
  });
}

/** The inputs stand at the beginning, and once more where the workflow has recorded them with its defaults. */
function otherInput(
  runId: string,
  journal: readonly JournalEntry[],
  { at, inputs }: { readonly at: number; readonly inputs: string },
): Pick<ForkOptions, 'input' | 'recorded'> {
  if (!isWorkflowRun(journal))
    throw new UsageError(`${runId} is no run of a workflow file, so that its inputs cannot be changed here.`);
  const before = readRunStart(journal);
  const input = { ...before, inputs: retriedInputs(before, inputs) } as unknown as JsonObject;
  const noted = journal.slice(0, at).flatMap((entry) => {
    const known = entry.scope === '' && entry.ordinal === 0 ? recordedInputs(entry) : undefined;
    return known === undefined ? [] : [[entry.seq, { inputs: retriedInputs({ inputs: known }, inputs) }] as const];
  });
  return { input, recorded: Object.fromEntries(noted) };
}

function recordedInputs(entry: JournalEntry): string | undefined {
  const value = entry.type === 'recorded' && entry.data.ok ? entry.data.value : undefined;
  const inputs = isObject(value) ? value['inputs'] : undefined;
  return typeof inputs === 'string' ? inputs : undefined;
}
