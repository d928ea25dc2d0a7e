import type { WorkflowDocument } from '../document.js';
import type { LoadResult } from '../load/loaded-document.js';
import type { DocumentPath, Report } from '../load/problem.js';
import type { MapNode } from '../load/yaml-node.js';
import type { RouteGraph } from './route-graph.js';

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
