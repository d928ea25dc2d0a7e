import { checkMeaning } from '../analyze/check-meaning.js';
import type { Meaning } from '../analyze/meaning.js';
import { documentGraph } from '../graph/document-graph.js';
import { type ReadablePart, readablePart } from '../schema/readable-part.js';
import { createReport, type ReportOptions, type WorkflowProblem } from '../source/problem.js';
import type { MapNode } from '../source/yaml-node.js';

type Source = Omit<Meaning, 'document' | 'graph' | 'names' | 'report'> & Pick<Required<ReportOptions>, 'mask'>;

/**
 * Checks what the good parts of a broken file mean together, so that all problems come at once. What would only follow from the
 * problems that are known already stays unsaid.
 */
export function checkPart(root: MapNode, file: string, { mask, ...source }: Source): readonly WorkflowProblem[] {
  const part = readablePart(root, source.steps);
  const report = createReport('semantic', { mask });
  checkMeaning({ ...source, document: part.document, graph: documentGraph(part.document, source.steps), report });
  return report.problems.filter((problem) => problem.file !== file || !isFollowUp(problem, part));
}

function isFollowUp({ code, path }: WorkflowProblem, { broken, knows }: ReadablePart): boolean {
  // Which ways there are is not known as long as steps are missing.
  if (code === 'MAY_NOT_HAVE_RUN') return true;
  if (!knows.steps && aboutSteps.has(code)) return true;
  if (!knows.inputs && aboutInputs.has(code)) return true;
  if (!knows.tools && code === 'UNKNOWN_TOOL') return true;
  return broken.some((place) => `${path}.`.startsWith(`${place.join('.')}.`));
}

const aboutSteps: ReadonlySet<string> = new Set(['UNKNOWN_STEP', 'UNKNOWN_REFERENCE', 'UNKNOWN_NAME']);
const aboutInputs: ReadonlySet<string> = new Set([
  'MISSING_INPUT',
  'UNDECLARED_INPUT',
  'UNKNOWN_INPUT',
  'UNKNOWN_NAME',
  'UNKNOWN_REFERENCE',
]);
