import type { JsonObject } from '../../termination/json.js';
import type { ConductorLogEvent } from './conductor-event.js';
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

  write(workflow: WorkflowScope, { at }: Entry, type: string, data: JsonObject = {}): void {
    const path = workflow.slots.length > 0 ? { subworkflow_path: workflow.slots } : {};
    this.events.push({ type, timestamp: at / 1000, data: { ...data, ...path } });
  }

  /** Takes back that a step began: the reference looks at what a step needs before it says so. */
  takeBackStart(workflow: WorkflowScope, step: string): void {
    const first = this.events.findLastIndex(
      ({ type, data }) => type === 'agent_started' && data['agent_name'] === step && isIn(workflow, data),
    );
    const later = this.events.splice(Math.max(0, first));
    if (first < 0) this.events.push(...later);
    // Only what is about the same step goes with it.
    else this.events.push(...later.filter(({ data }) => data['agent_name'] !== step || !isIn(workflow, data)));
  }
}

function isIn({ slots }: WorkflowScope, { subworkflow_path: path }: JsonObject): boolean {
  return JSON.stringify(path ?? []) === JSON.stringify(slots);
}
