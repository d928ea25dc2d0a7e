import { dirname, resolve } from 'node:path';
import type { Engine } from '../engines/port/engine.js';
import { defineWorkflow } from './define-workflow.js';
import { type LoadedDocument, type LoadOptions, loadDocument, WorkflowInvalid } from './load/load-document.js';
import type { StoredSource } from './run-input.js';
import { readRegularFile } from './source/read-regular-file.js';
import { readRunInput } from './stored-source.js';
import type { LoadWorkflowOptions, Workflow } from './workflow.js';

/**
 * Loads a workflow file. What is wrong with it is thrown as `WorkflowInvalid`, all of it at once and before anything starts.
 *
 * @example
 * const triage = loadWorkflow('triage.yaml', { models: { copilot: 'openai/gpt-5' } });
 * const { termination, output } = await triage.run({ ticket: 4711 });
 */
export function loadWorkflow(file: string, options: LoadWorkflowOptions = {}): Workflow {
  return defineWorkflow(read({ ...loadOptions(options), file: resolve(file) }), options, reloader(options));
}

/** The workflow of a run, made from the files as they were when it began. */
export async function workflowOfRun(
  engine: Engine,
  runId: string,
  options: Omit<LoadWorkflowOptions, 'text' | 'readFile'> = {},
): Promise<Workflow> {
  const { source, options: stored } = await readRunInput(engine, runId);
  const { lenient, confine = false } = stored;
  const given = { lenient, ...options, confine: confine || options.confine === true };
  return defineWorkflow(reloader(given)(source), given, reloader(given));
}

function reloader(options: LoadWorkflowOptions): (source: StoredSource) => LoadedDocument {
  const { text: _text, ...rest } = loadOptions(options);
  return ({ file, files }) => {
    const folder = rest.confine === true ? dirname(file) : undefined;
    // What is stored was read when the run began.
    return read({ ...rest, confine: false, file, readFile: (path) => files[path] ?? readRegularFile(path, folder) });
  };
}

function loadOptions({
  confine,
  env,
  lenient,
  readFile,
  secrets,
  text,
}: LoadWorkflowOptions): Omit<LoadOptions, 'file'> {
  return {
    ...(confine !== undefined && { confine }),
    ...(env !== undefined && { env }),
    ...(lenient !== undefined && { lenient }),
    ...(readFile !== undefined && { readFile }),
    ...(secrets !== undefined && { secrets }),
    ...(text !== undefined && { text }),
  };
}

function read(options: LoadOptions): LoadedDocument {
  const result = loadDocument(options);
  if (result.ok) return result.loaded;
  throw new WorkflowInvalid(result.problems);
}
