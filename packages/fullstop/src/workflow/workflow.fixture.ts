import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine } from '../engines/port/engine.js';
import type { JsonObject } from '../termination/json.js';
import { type SimulatedClock, simulatedClock } from '../testing/simulated-clock.js';
import { conductorEvents } from './conductor-events.js';
import { loadWorkflow } from './load-workflow.js';
import type { LoadWorkflowOptions, Workflow, WorkflowResult, WorkflowRunOptions } from './workflow.js';

/** A workflow from texts instead of files: the first is the workflow, the others are found beside it. */
export function workflowFrom(
  text: string,
  options: LoadWorkflowOptions & { readonly files?: Readonly<Record<string, string>> } = {},
): Workflow {
  const { files = {}, ...rest } = options;
  const all: Record<string, string> = { '/w/workflow.yaml': text };
  for (const [name, content] of Object.entries(files)) all[join('/w', name)] = content;
  return loadWorkflow('/w/workflow.yaml', {
    env: { PATH: process.env['PATH'] },
    ...rest,
    readFile: (path) => {
      const found = all[path];
      if (found === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
      return found;
    },
  });
}

export interface World {
  readonly engine: Engine;
  readonly clock: SimulatedClock;
}

/** An engine whose clock jumps over waits. */
export function world(): World {
  const clock = simulatedClock();
  return { engine: memoryEngine({ clock }), clock };
}

/** Runs a text and gives the result. */
export function runText(
  text: string,
  options: Parameters<typeof workflowFrom>[1] & {
    readonly inputs?: JsonObject | string;
    readonly run?: WorkflowRunOptions;
  } = {},
): Promise<WorkflowResult> {
  const { inputs = {}, run = {}, ...rest } = options;
  return workflowFrom(text, rest).run(inputs, { engine: world().engine, ...run });
}

/** The names of the events of a run, those of sub-workflows left out. */
export async function eventsOf(result: WorkflowResult): Promise<readonly string[]> {
  const events = conductorEvents(await result.journal());
  return events.filter(({ data }) => data['subworkflow_path'] === undefined).map(({ type }) => type);
}

/** A directory with files, for what has to be on disk. */
export function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'fullstop-workflow-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return dirname(join(directory, 'x'));
}

/** A process that was ended but not yet collected by its parent is not alive any more. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
