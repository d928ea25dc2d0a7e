import type { LoadResult } from '../graph/loaded-document.js';
import type { RouteGraph } from '../graph/route-graph.js';
import type { WorkflowDocument } from '../schema/document.js';
import type { DocumentPath, Report } from '../source/problem.js';
import type { MapNode } from '../source/yaml-node.js';

/** What the checks of meaning work on. */
export interface Meaning {
  readonly document: WorkflowDocument;
  readonly root: MapNode;
  readonly report: Report;
  readonly graph: RouteGraph;
  readonly names: DocumentNames;
  /** The files that lead here through sub-workflow steps, this one last; absolute paths. */
  readonly chain: readonly string[];
  readonly readFile: (path: string) => string;
  readonly child: (workflow: string) => LoadResult;
}

export interface DocumentNames {
  readonly steps: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  /** Steps and groups. */
  readonly all: readonly string[];
  has(name: string): boolean;
  readonly inputs: readonly string[];
}

/** A check reports what it finds. */
export type Check = (meaning: Meaning) => void;

export type { DocumentPath };
