import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { OpenRequest } from '../../engines/port/request.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { DescribedWorkflow } from './described-workflow.js';

/** A step or group as the journal shows it. */
export interface KnownStep {
  readonly name: string;
  readonly kind: string;
  /** The members of a group: by name for a parallel one, the same for all items of a for_each. */
  readonly members: ReadonlyMap<string, string>;
  readonly item?: { readonly name: string; readonly kind: string };
}

/** One workflow of the run, the run's own or a sub-workflow, while its events are made. */
export interface WorkflowScope {
  readonly path: string;
  /** The slots that lead to it, empty for the run itself. */
  readonly slots: readonly string[];
  readonly startedAt: number;
  /** The file, if the journal holds it and it can be read. */
  readonly source: DescribedWorkflow | undefined;
  /** The inputs that it was started with, defaults included. */
  inputs: JsonObject;
  /** When the step or group at hand began. */
  enteredAt: number;
  /** The steps and groups that are done. */
  readonly history: string[];
  /** The step or group at hand. */
  current: KnownStep | undefined;
  /** The name that a failure belongs to. */
  at: string;
  /** The failure of the step at hand, in the words of the reference. */
  error: { readonly name: string; readonly message: string } | undefined;
  /** The keys of the items of the group at hand. */
  keys: readonly string[];
  explicit: JsonObject | undefined;
  succeeded: number;
  failed: number;
  /** True while members of a parallel group that fails fast are at work: the reference ends it at the time limit, too. */
  groupIsOpen: boolean;
  /** The cost at which the budget was last reported as exceeded. */
  reportedUsd: number | undefined;
}

type NewScope = Pick<WorkflowScope, 'path' | 'slots' | 'startedAt' | 'source'>;

export function newScope(given: NewScope): WorkflowScope {
  return {
    ...given,
    inputs: {},
    enteredAt: given.startedAt,
    history: [],
    current: undefined,
    at: '',
    error: undefined,
    keys: [],
    explicit: undefined,
    succeeded: 0,
    failed: 0,
    groupIsOpen: false,
    reportedUsd: undefined,
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
  /** How often the step was entered; of an item its place, both counted from 1. */
  readonly iteration: number;
  readonly openedAt: number;
  /** The member that it is, as long as its beginning is not written. */
  starts?: Member | undefined;
  /** The problem with an answer that has to be corrected. */
  correcting?: string | undefined;
  /** The usage of its models so far. */
  readonly usage: UnitUsage;
  /** How often its answer had to be corrected. */
  corrections: number;
  /** The settings that a wait or questions began with. */
  began: JsonObject;
  /** The part of an agent step that runs now: when it began, and which model had answered by then. */
  part?: { readonly openedAt: number; readonly model: string | null };
  /** An answer to one of several questions, as long as nobody knows whether it counts. */
  answered?: AnsweredQuestion | undefined;
  dialog?: { readonly id: string; turns: number } | undefined;
  /** True when the inputs of a sub-workflow could not be rendered, so that it never began. */
  unmapped?: boolean;
}

/** The models of a unit and their usage; the model is the one that answered last. */
export interface UnitUsage {
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  /** The inputs of the tools that the model called last. */
  toolInputs: readonly JsonValue[];
}

/** A question that was answered; whether the answer counts is known when the next one is asked. */
export interface AnsweredQuestion {
  readonly entry: JournalEntry;
  readonly request: OpenRequest;
  readonly value: JsonValue | undefined;
}
