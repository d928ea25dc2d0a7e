import type { Engine } from '../engines/port/engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { JsonObject, JsonValue } from '../termination/json.js';
import { engineFor } from './define-run.js';
import { newRunId } from './new-id.js';
import type { RunOptions } from './run-options.js';

// What the definitions of agents, pipelines, convergences and workflows share besides `LiveRuns`.

/** Which run on which engine. */
export interface RunPlace {
  readonly runId: string;
  readonly engine: Engine;
}

/** The place of a run that starts: a new id and a private engine unless the options name others. */
export function placeOfStart(options: RunOptions): RunPlace {
  const engine = engineFor(options);
  return { runId: options.runId ?? newRunId(engine), engine };
}

/** The input that a journal begins with, and when. */
export function startOfJournal([first]: readonly JournalEntry[]): {
  readonly input: JsonValue | undefined;
  readonly options: JsonObject;
  readonly at: number;
} {
  const { input, options = {} } = first?.type === 'run_started' ? first.data : {};
  return { input, options, at: first?.at ?? 0 };
}

/** Refuses a run whose ending the definition rules out: it belongs to other options. */
export function refuseUndeclared(
  { runId, termination }: { readonly runId: string; readonly termination: Ending },
  kinds: readonly string[],
): void {
  if (kinds.includes(termination.kind)) return;
  throw new FullstopError(
    'ENDING_NOT_DECLARED',
    `The run ${runId} ended as ${JSON.stringify(termination.kind)}, which these options do not allow; they allow ${[...new Set(kinds)].join(', ')}.`,
  );
}
