import type { Step, WorkflowDocument } from '../schema/document.js';
import type { GraphRow } from './document-graph.js';
import type { LoadedFile } from './loaded-file.js';

/** A file and those of its sub-workflows, each once, also where they name each other. What cannot be loaded is left out. */
export function filesOf<Row extends GraphRow>(loaded: LoadedFile<Row>): readonly LoadedFile<Row>[] {
  const visited = new Map<string, LoadedFile<Row>>();
  visit(loaded, visited);
  return [...visited.values()];
}

function visit<Row extends GraphRow>(loaded: LoadedFile<Row>, visited: Map<string, LoadedFile<Row>>): void {
  if (visited.has(loaded.file)) return;
  visited.set(loaded.file, loaded);
  for (const step of stepsOf(loaded.document)) {
    const file = loaded.steps.of(step).graph.runsFile(step);
    const child = file === undefined ? undefined : loaded.child(file);
    if (child?.ok === true) visit(child.loaded, visited);
  }
}

/** Every step of a file, members of groups included. */
export function stepsOf({ agents, for_each: groups }: WorkflowDocument): readonly Step[] {
  return [...agents, ...groups.map(({ agent }) => agent)];
}
