import type { OpenRequest } from '../../engines/port/request.js';
import type { JsonObject } from '../../termination/json.js';
import type { ConductorLogEvent } from './conductor-event.js';
import { type DescribedWorkflow, describeWorkflow } from './described-workflow.js';
import type { UnitScope, WorkflowScope } from './workflow-scope.js';

interface Entry {
  readonly at: number;
}

/** Collects events and remembers what the journal has told of workflows and units. */
export class EventWriter {
  readonly events: ConductorLogEvent[] = [];
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
  /** What people are asked, by the id of the request. */
  readonly requests: Map<string, { readonly unit: UnitScope; readonly request: OpenRequest }> = new Map();

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
