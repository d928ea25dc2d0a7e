import type { JsonObject } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';
import type { LoadedDocument } from 'fullstop/workflow';
import { isObject } from '../../journal/is-object.js';
import { isWorkflowRun } from '../../journal/is-workflow-run.js';
import { shownDocument } from '../../workflow/shown-document.js';

/**
 * The files of a workflow as they were when its run began, or as it continued with them since, to draw it from. Undefined for other runs and where the
 * files no longer load: then only what happened is drawn.
 */
export async function workflowDrawing(
  journal: readonly JournalEntry[],
  env: NodeJS.ProcessEnv,
): Promise<LoadedDocument | undefined> {
  if (!isWorkflowRun(journal)) return undefined;
  const source = latestSource(journal);
  const file = source?.['file'];
  const files = source?.['files'];
  if (typeof file !== 'string' || !isObject(files)) return undefined;
  const readFile = (path: string): string => {
    const text = Object.hasOwn(files, path) ? files[path] : undefined;
    if (typeof text !== 'string') throw new Error(`${path} is not stored with the run.`);
    return text;
  };
  return shownDocument({ file, env, lenient: true, readFile });
}

function latestSource(journal: readonly JournalEntry[]): JsonObject | undefined {
  const [first] = journal;
  const input = first?.type === 'run_started' ? first.data.input : undefined;
  const began = isObject(input) ? input['source'] : undefined;
  const changed = journal.reduce<unknown>((latest, entry) => {
    const changes = entry.type === 'segment_opened' ? entry.data.options?.['changes'] : undefined;
    return isObject(changes) && isObject(changes['source']) ? changes['source'] : latest;
  }, began);
  return isObject(changed) ? (changed as JsonObject) : undefined;
}
