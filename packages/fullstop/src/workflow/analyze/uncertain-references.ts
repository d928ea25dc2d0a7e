import type { Reference } from '../../template/reference.js';
import type { DocumentGraph } from '../graph/document-graph.js';
import type { LoadedFile } from '../graph/loaded-file.js';
import type { WorkflowDocument } from '../schema/document.js';
import { type Completion, completionOf } from './completion.js';
import type { AnalysisRow } from './meaning.js';
import { textReferences } from './text-references.js';
import { type TextUse, textUses } from './text-uses.js';

/** A text that uses the output of a step which may not have run by then. */
export interface UncertainReference {
  /** The step or group that renders the text; absent for the output of the workflow. */
  readonly at?: string;
  /** The step or group that may not have run. */
  readonly to: string;
  /** Dotted path of the text in the file. */
  readonly path: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Uses that are not guarded by `default()`, `is defined` or the like. */
export function uncertainReferences(loaded: LoadedFile<AnalysisRow>): readonly UncertainReference[] {
  const { document, graph, steps } = loaded;
  const completion = completionOf(graph, steps);
  const found = new Map<string, UncertainReference>();
  for (const use of textUses(document, steps.fields)) {
    const moment = momentOf(document, completion, use);
    if (moment === undefined) continue;
    for (const reference of textReferences(use).references) {
      const to = unitOf(graph, reference);
      if (to === undefined || reference.guarded || moment.isDone(to)) continue;
      const path = use.path.join('.');
      found.set(`${path}\0${to}`, {
        ...(moment.at === undefined ? {} : { at: moment.at }),
        to,
        path,
        ...loaded.locate(use.path),
      });
    }
  }
  return [...found.values()];
}

interface Moment {
  readonly at?: string;
  isDone(unit: string): boolean;
}

/** When a text is rendered; undefined when it never is, or at no certain time. */
function momentOf(document: WorkflowDocument, completion: Completion, use: TextUse): Moment | undefined {
  const [section, index, key] = use.path;
  if (section === 'output') return { isDone: completion.isDoneAtEnd };
  if (section !== 'agents' && section !== 'parallel' && section !== 'for_each') return undefined;
  const at = document[section][Number(index)]?.name ?? '';
  const place = completion.isDoneBefore(at, at) === undefined ? groupOf(document, at) : at;
  if (place === undefined || completion.isDoneBefore(place, place) === undefined) return undefined;
  const isAfterwards = key === 'routes' || key === 'output_template';
  return { at, isDone: (unit) => (isAfterwards && unit === at) || completion.isDoneBefore(unit, place) === true };
}

/** A member of a parallel group runs when the group does. */
function groupOf({ parallel }: WorkflowDocument, member: string): string | undefined {
  return parallel.find(({ agents }) => agents.includes(member))?.name;
}

/** The unit whose output a reference uses: `step.output.x`, or `step_output` in a plain condition. */
function unitOf(graph: DocumentGraph, { root, path }: Reference): string | undefined {
  if (graph.units.has(root)) return ['output', 'outputs', 'errors'].includes(path[0] ?? '') ? root : undefined;
  const [, flat] = /^(.+)_(?:output|outputs|errors)$/.exec(root) ?? [];
  return flat !== undefined && graph.units.has(flat) ? flat : undefined;
}
