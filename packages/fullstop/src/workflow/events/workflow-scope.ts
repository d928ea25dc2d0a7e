import type { JsonObject } from '../../termination/json.js';

/** A step or group as the journal tells of it. */
export interface KnownStep {
  readonly name: string;
  readonly kind: string;
  /** What stands in a group: by name for a parallel one, the same for all items of a for_each. */
  readonly members: ReadonlyMap<string, string>;
  readonly item?: { readonly name: string; readonly kind: string };
}

/** One workflow of the run, the run's own or a sub-workflow, while its events are made. */
export interface WorkflowScope {
  readonly path: string;
  /** The slots that lead to it, empty for the run itself. */
  readonly slots: readonly string[];
  readonly startedAt: number;
  /** The step or group at hand. */
  current: KnownStep | undefined;
  /** The name that a failure belongs to. */
  at: string;
  /** The failure of the step at hand, in the words of the reference. */
  error: { readonly name: string; readonly message: string } | undefined;
  /** The keys of the items of the group at hand. */
  keys: readonly string[];
  explicit: JsonObject | undefined;
  /** How often each step was entered. */
  readonly visits: Map<string, number>;
  succeeded: number;
  failed: number;
}

export function newScope(path: string, slots: readonly string[], startedAt: number): WorkflowScope {
  return {
    path,
    slots,
    startedAt,
    current: undefined,
    at: '',
    error: undefined,
    keys: [],
    explicit: undefined,
    visits: new Map(),
    succeeded: 0,
    failed: 0,
  };
}

/** A member of a group, found by the key of its effect. */
export interface Member {
  readonly step: string;
  readonly kind: string;
  readonly member: string;
  readonly index: number;
}

/** A unit of a step, found by its scope. */
export interface UnitScope {
  readonly workflow: WorkflowScope;
  /** The name of the step; of a group the name of the member. */
  readonly step: string;
  readonly kind: string;
  /** Present for a member: the name under which the group knows it. */
  readonly member?: string;
  readonly openedAt: number;
  /** Who it is, as long as nobody was told that it began. */
  starts?: Member | undefined;
  /** True while an answer has to be corrected. */
  mending?: boolean;
  /** True when the inputs of a sub-workflow could not be rendered, so that it never began. */
  unmapped?: boolean;
}
