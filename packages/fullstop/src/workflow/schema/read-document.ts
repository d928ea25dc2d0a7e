import type { MapNode } from '../source/yaml-node.js';
import { checkNames } from './check-names.js';
import type { WorkflowDocument } from './document.js';
import { readFields } from './read-field.js';
import type { SchemaSpot } from './read-scalar.js';
import { root } from './workflow-records.js';

/** The typed document of a file, or undefined after every problem of its keys, types and names was reported. */
export function readDocument(node: MapNode, { report, steps }: SchemaSpot): WorkflowDocument | undefined {
  const document = readFields({ fields: root, unknownKeys: 'error' }, { node, path: [], report, steps });
  checkNames(node, { report, steps });
  // The tables that were read are the ones that the type comes from.
  return report.problems.some(({ severity }) => severity === 'error')
    ? undefined
    : (document as unknown as WorkflowDocument);
}
