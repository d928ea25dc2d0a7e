import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { OpenRequest } from '../../engines/port/request.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { MachineRow } from '../machine/program.js';
import type { StepTable } from '../schema/steps/step-table.js';
import type { ConductorLogEvent } from './conductor-event.js';
import { type DescribedWorkflow, describeWorkflow } from './described-workflow.js';
import type { UnitScope, WorkflowScope } from './workflow-scope.js';

interface Entry {
  readonly at: number;
}

/** The part of a step type that the events of the reference read. */
export interface EventsRow extends MachineRow {
  readonly events: StepEvents;
}

/** The events of the steps of one type, beyond those of every step. */
export interface StepEvents {
  /** When such a step begins outside groups. */
  started?(writer: EventWriter, entry: JournalEntry, started: StartedStep): void;
  /** True when its beginning in a group is written as that of an agent. */
  readonly isAgent?: true;
  /** True when its own events say where it leads, so that no route is written. */
  readonly hidesRoute?: true;
  /** True when its unit is a workflow of its own. */
  readonly isWorkflow?: true;
  /** For a step without a unit: the data of its last event, which is named after its type. */
  outcome?(outcome: StepOutcome): JsonObject;
  /** The events for the records of its unit, by the first word of their keys. */
  readonly records?: Readonly<Record<string, RecordWriter>>;
  /** When such a step asks a person something. */
  asked?(writer: EventWriter, entry: JournalEntry, asked: Asked): void;
  /** When the person replied. */
  answered?(writer: EventWriter, entry: JournalEntry, replied: Replied): void;
  /** The last event of its unit; undefined when there is none. */
  ended?(ended: EndedStep): NamedEvent | undefined;
  /** Its ways besides its routes, from the step as it was written. */
  choices?(step: JsonObject): readonly JsonObject[];
}

export interface StartedStep {
  readonly workflow: WorkflowScope;
  readonly name: string;
  readonly iteration: JsonValue;
}

/** The outcome of a step that has no unit. */
export interface StepOutcome {
  readonly workflow: WorkflowScope;
  readonly name: string;
  readonly iteration: number;
  readonly kind: string;
  readonly problem: JsonObject | undefined;
  readonly value: JsonObject;
}

/** A value that the unit of a step recorded. */
export interface InUnit {
  readonly unit: UnitScope;
  readonly value: JsonObject;
}

export type RecordWriter = (writer: EventWriter, entry: JournalEntry, given: InUnit) => void;

export interface Asked {
  readonly unit: UnitScope;
  readonly request: OpenRequest;
}

export interface Replied extends Asked {
  /** Undefined when the person refused to say anything. */
  readonly said: JsonValue | undefined;
}

/** The unit of a step that ended. */
export interface EndedStep {
  readonly unit: UnitScope;
  readonly isDone: boolean;
  /** The outcome of the unit besides its ending. */
  readonly outcome: JsonObject;
  /** The output of the step. */
  readonly output: JsonValue | undefined;
  readonly termination: AnyTermination;
  readonly error: { readonly name: string; readonly message: string } | undefined;
  readonly elapsed: number;
}

export interface NamedEvent {
  readonly type: string;
  readonly data: JsonObject;
}

const noEvents: StepEvents = {};

/** Collects events and remembers what the journal said of workflows and units. */
export class EventWriter {
  readonly events: ConductorLogEvent[] = [];
  readonly steps: StepTable<EventsRow>;
  /** Workflows by the scope of their unit. */
  readonly workflows: Map<string, WorkflowScope> = new Map();
  /** Units of steps by their scope. */
  readonly units: Map<string, UnitScope> = new Map();
  /** The files of the run, by path. */
  files: JsonObject = {};
  readonly #described: Map<string, DescribedWorkflow | undefined> = new Map();
  skipsGates = false;
  /** When the entry before the one at hand was written. */
  before = 0;
  /** The open requests to people, by their ids. */
  readonly requests: Map<string, { readonly unit: UnitScope; readonly request: OpenRequest }> = new Map();

  constructor(steps: StepTable<EventsRow>) {
    this.steps = steps;
  }

  /** The events of a type of step; none for one that is not known here. */
  eventsOf(type: string): StepEvents {
    return this.steps.find(type)?.events ?? noEvents;
  }

  /** A file of the run, read once. */
  describe(file: string): DescribedWorkflow | undefined {
    const known = this.#described.get(file) ?? describeWorkflow(this.files, file);
    this.#described.set(file, known);
    return known;
  }

  write(workflow: WorkflowScope, { at }: Entry, type: string, data: JsonObject = {}): void {
    const path = workflow.slots.length > 0 ? { subworkflow_path: workflow.slots } : {};
    this.events.push({ type, timestamp: at / 1000, data: { ...data, ...path } });
  }

  /** Adds what is known only later to the event with which a step began. */
  addToStart(workflow: WorkflowScope, step: string, data: JsonObject): void {
    const index = this.events.findLastIndex((event) => startsAgent.has(event.type) && isOf(workflow, step, event));
    const event = this.events[index];
    if (event !== undefined) this.events[index] = { ...event, data: { ...event.data, ...data } };
  }

  /** Takes back that a step began: the reference looks at what a step needs before it says so. */
  takeBackStart(workflow: WorkflowScope, step: string): void {
    const first = this.events.findLastIndex((event) => event.type === 'agent_started' && isOf(workflow, step, event));
    const later = this.events.splice(Math.max(0, first));
    if (first < 0) this.events.push(...later);
    // Only what is about the same step goes with it.
    else this.events.push(...later.filter((event) => !isOf(workflow, step, event)));
  }
}

const startsAgent: ReadonlySet<string> = new Set(['agent_started', 'parallel_agent_started', 'for_each_agent_started']);

function isOf({ slots }: WorkflowScope, step: string, { data }: ConductorLogEvent): boolean {
  return data['agent_name'] === step && JSON.stringify(data['subworkflow_path'] ?? []) === JSON.stringify(slots);
}
