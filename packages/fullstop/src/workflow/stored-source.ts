import { createHash } from 'node:crypto';
import type { Engine } from '../engines/port/engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject, type JsonObject } from '../termination/json.js';
import { filesOf } from './graph/files-of.js';
import type { LoadedDocument } from './load/load-document.js';
import type { StoredSource, WorkflowRunInput } from './run-input.js';

/** All files of a workflow, its sub-workflows included. */
export function sourceOf(loaded: LoadedDocument): StoredSource {
  // Files are read as their steps are looked at.
  filesOf(loaded);
  const { file, files } = loaded;
  const hash = createHash('sha256');
  for (const path of Object.keys(files).sort()) hash.update(JSON.stringify([path, files[path]]));
  return { file, hash: `sha256:${hash.digest('hex')}`, files: { ...files } };
}

/** The input of a run; the files are those that it has continued with since. */
export async function readRunInput(engine: Engine, runId: string): Promise<WorkflowRunInput> {
  const journal = await engine.journal(runId, { types: ['run_started', 'segment_opened'] });
  const [first] = journal;
  if (first === undefined)
    throw new FullstopError('RUN_NOT_FOUND', `There is no run ${JSON.stringify(runId)} on the ${engine.name} engine.`);
  const input = first.type === 'run_started' ? first.data.input : undefined;
  if (isWorkflowInput(input)) return { ...input, source: latestSource(journal) ?? input.source };
  throw new FullstopError('INVALID_OPTION', `The run ${runId} is no run of a workflow file.`);
}

/** The files of the latest resume that changed them. */
function latestSource(journal: readonly JournalEntry[]): StoredSource | undefined {
  return journal.reduce<StoredSource | undefined>((latest, entry) => {
    const changes = entry.type === 'segment_opened' ? entry.data.options?.['changes'] : undefined;
    const source = isObject(changes) ? changes['source'] : undefined;
    return isObject(source) ? (source as unknown as StoredSource) : latest;
  }, undefined);
}

function isWorkflowInput(input: unknown): input is WorkflowRunInput & JsonObject {
  return isObject(input) && typeof input['inputs'] === 'string' && isObject(input['source']);
}
