import type { LoadedDocument } from '../load/load-document.js';
import type { ErrorRoute, ForEachGroup, ParallelGroup, Route, Step, WorkflowDocument } from '../schema/document.js';

/** Something that a route can lead to. */
export type WorkflowNode =
  | { readonly kind: 'step'; readonly name: string; readonly step: Step }
  | {
      readonly kind: 'parallel';
      readonly name: string;
      readonly group: ParallelGroup;
      readonly members: readonly Step[];
    }
  | { readonly kind: 'for_each'; readonly name: string; readonly group: ForEachGroup };

/** A document made ready for the machine. */
export interface Program {
  readonly document: WorkflowDocument;
  readonly nodes: ReadonlyMap<string, WorkflowNode>;
  /** Whether the run keeps to what the reference does where ours is stricter or says more. */
  readonly lenient: boolean;
  /** How long the unit of a step may take, by the step itself or by the workflow that it runs. */
  timeLimitOf(step: Step): number | undefined;
}

function timeLimitOf(loaded: LoadedDocument, step: Step): number | undefined {
  if (step.type === 'agent') {
    const seconds = [step.timeout_seconds, step.max_session_seconds].filter((each) => each !== undefined);
    return seconds.length === 0 ? undefined : Math.min(...seconds) * 1000;
  }
  if (step.type !== 'workflow') return undefined;
  const child = loaded.child(step.workflow);
  const seconds = child.ok ? child.loaded.document.workflow.limits.timeout_seconds : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Finds what each name means: a group before a step, and of two steps with the same name the first. */
export function programOf(loaded: LoadedDocument, lenient: boolean): Program {
  const { document } = loaded;
  const nodes = new Map<string, WorkflowNode>();
  const steps = new Map<string, Step>();
  const put = (node: WorkflowNode): void => {
    if (!nodes.has(node.name)) nodes.set(node.name, node);
  };
  for (const step of document.agents) if (!steps.has(step.name)) steps.set(step.name, step);
  for (const group of document.for_each) put({ kind: 'for_each', name: group.name, group });
  for (const group of document.parallel) {
    const members = group.agents.flatMap((name) => steps.get(name) ?? []);
    put({ kind: 'parallel', name: group.name, group, members });
  }
  for (const step of steps.values()) put({ kind: 'step', name: step.name, step });
  return { document, nodes, lenient, timeLimitOf: (step) => timeLimitOf(loaded, step) };
}

const none: readonly never[] = [];

/** The routes of a node; a gate has none, because its options say where to go. */
export function routesOf(node: WorkflowNode): readonly Route[] {
  if (node.kind !== 'step') return node.group.routes;
  return 'routes' in node.step ? node.step.routes : none;
}

/** The routes for failures of a node. */
export function errorRoutesOf(node: WorkflowNode): readonly ErrorRoute[] {
  if (node.kind !== 'step') return node.group.on_error;
  return 'on_error' in node.step ? node.step.on_error : none;
}
