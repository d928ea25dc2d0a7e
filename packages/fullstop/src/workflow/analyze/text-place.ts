import { locateInText, type Place } from '../source/yaml-node.js';
import type { Meaning } from './meaning.js';
import type { TextUse } from './text-uses.js';

/** `agent 'planner' prompt`, or `workflow output 'report'`. */
export function titleOf({ step, path }: TextUse): string {
  if (step !== undefined) {
    const start = path[0] === 'for_each' ? 3 : 2;
    return `agent '${step.name}' ${path.slice(start).join('.')}`;
  }
  if (path[0] === 'output') return `Workflow output '${path.slice(1).join('.')}'`;
  return path.join('.');
}

/** The place of a line and column of a text in its file. */
export function placeOf(
  { root }: Meaning,
  use: TextUse,
  spot: { readonly line: number; readonly column: number },
): Place {
  return locateInText(root, use.path, spot);
}
