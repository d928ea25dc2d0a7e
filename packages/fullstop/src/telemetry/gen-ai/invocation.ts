import type { Attributes } from '@opentelemetry/api';
import type { UnitTrack } from '../journal/units.js';
import type { GenAiInstruments } from './gen-ai-instruments.js';

/** The name and the attributes of a span. */
interface Invocation {
  readonly name: string;
  readonly attributes: Attributes;
}

/** The label that the GenAI conventions have for the execution of a unit; undefined for units that they do not know. */
export function invocationOf(unit: UnitTrack, runId: string): Invocation | undefined {
  const { operation } = unit;
  if (operation === undefined) return undefined;
  const name = nameInvocation(unit);
  const attributes: Attributes = { 'gen_ai.operation.name': operation };
  if (operation === 'invoke_workflow') attributes['gen_ai.workflow.name'] = name;
  else {
    attributes['gen_ai.agent.name'] = name;
    attributes['gen_ai.conversation.id'] = conversationOf(unit, runId);
  }
  return { name: `${operation} ${name}`, attributes };
}

/** The conversation of an agent: its journal is that of the run, in the scope of its unit. */
export function conversationOf({ scope }: UnitTrack, runId: string): string {
  return scope === '' ? runId : `${runId}/${scope}`;
}

/** The name of the agent or workflow that a unit executes. */
export function nameInvocation({ pipeline, definition, name, parent }: UnitTrack): string {
  const known = pipeline ?? definition;
  if (known !== undefined) return known;
  // An agent that is a tool of another one runs in a unit named after the tool and the id of the call.
  return parent?.operation === 'invoke_agent' ? (name.split(':')[0] ?? name) : name;
}

interface EndedInvocation {
  readonly at: number;
  /** The kind of the ending, where it is a failure. */
  readonly failure?: string | undefined;
}

/** Records the execution of an agent or workflow that ends: there is one for every such span, sampled or not. */
export function recordInvocation(instruments: GenAiInstruments, unit: UnitTrack, ended: EndedInvocation): void {
  const { operation, startedAt, inferenceCalls, toolCalls } = unit;
  if (operation === undefined) return;
  const seconds = Math.max(0, ended.at - startedAt) / 1000;
  const name = nameInvocation(unit);
  const error = { 'error.type': ended.failure };
  if (operation === 'invoke_workflow') {
    instruments.workflowDuration.record(seconds, { 'gen_ai.workflow.name': name, ...error });
    return;
  }
  const agent = { 'gen_ai.agent.name': name };
  instruments.agentDuration.record(seconds, { ...agent, ...error });
  instruments.agentInferenceCalls.record(inferenceCalls, agent);
  instruments.agentToolCalls.record(toolCalls, agent);
}
