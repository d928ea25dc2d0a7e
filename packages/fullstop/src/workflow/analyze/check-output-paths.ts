import type { Edge } from '../graph/edge.js';
import { wayAround } from '../graph/reachability.js';
import { locate } from '../source/yaml-node.js';
import { endsWithWorkflowOutput } from './completion.js';
import type { Meaning } from './meaning.js';
import { textReferences } from './text-references.js';

/** Warns when the final output names a step that some way to the end leaves out. */
export function checkOutputPaths(meaning: Meaning): void {
  const { document, graph, root, report } = meaning;
  const reported = new Set<string>();
  for (const [key, text] of document.output) {
    const { references } = textReferences({ kind: 'template', text });
    for (const { root: name, path, guarded } of references) {
      const unit = graph.units.get(name);
      if (
        unit === undefined ||
        guarded ||
        reported.has(name) ||
        !['output', 'outputs', 'errors'].includes(path[0] ?? '')
      )
        continue;
      const way = wayAround(graph, (edge) => usesWorkflowOutput(meaning, edge), name);
      if (way === undefined) continue;
      reported.add(name);
      const message = `The output references '${name}' which may not run on all paths, such as ${way.join(' → ')}`;
      const hint = `Use {% if ${name} is defined %} or default()`;
      report.warn({
        code: 'MAY_NOT_HAVE_RUN',
        message,
        hint,
        at: locate(root, ['output', key]),
        path: ['output', key],
      });
    }
  }
}

/** Whether an edge leads to an end that renders the output of the workflow. */
function usesWorkflowOutput({ graph, steps }: Meaning, edge: Edge): boolean {
  const unit = graph.units.get(edge.to);
  return edge.to === '$end' || (unit !== undefined && endsWithWorkflowOutput(unit, steps));
}
