import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { isObject, type JsonObject } from '../../termination/json.js';
import { rootCause } from '../../termination/root-cause.js';
import type { EndedStep, EventWriter, InUnit, NamedEvent } from './event-writer.js';
import { groupEvents } from './group-events.js';
import type { UnitScope } from './workflow-scope.js';

/** The prompt of an agent step is known. */
export function writeAgentPrompt(writer: EventWriter, entry: JournalEntry, { unit, value }: InUnit): void {
  const { workflow, step } = unit;
  const { prompt = '', workingDirectory = null } = value;
  writer.addToStart(workflow, announcedName(unit), { working_dir: workingDirectory });
  writer.write(workflow, entry, 'agent_prompt_rendered', { agent_name: step, rendered_prompt: prompt });
}

/** The name under which an agent was announced. */
function announcedName(unit: UnitScope): string {
  const group = unit.member === undefined ? undefined : groupEvents(unit.workflow);
  return group === undefined ? unit.step : group.agentName(unit);
}

/** The last event of an agent step; in a group the end of the member says it. */
export function endOfAgent(ended: EndedStep): NamedEvent | undefined {
  const { unit, isDone, termination, elapsed } = ended;
  if (isDone) {
    return unit.member === undefined ? { type: 'agent_completed', data: completedData(ended) } : undefined;
  }
  const cause = rootCause(termination);
  if (cause.kind !== 'time_budget') return undefined;
  return { type: 'agent_timeout', data: { elapsed, timeout_seconds: cause.limitMs / 1000 } };
}

/** The last event of a step that is written as an agent without being one. */
export function endAsAgent(ended: EndedStep): NamedEvent {
  return ended.isDone
    ? { type: 'agent_completed', data: completedData(ended) }
    : { type: 'agent_failed', data: failedData(ended) };
}

export function failedData({ elapsed, error }: EndedStep): JsonObject {
  return { elapsed, ...(error !== undefined && { error_type: error.name, message: error.message }) };
}

function completedData({ unit, outcome, output, elapsed }: EndedStep): JsonObject {
  const { model, inputTokens, outputTokens } = unit.usage;
  return {
    elapsed,
    model,
    tokens: outcome['tokens'] ?? null,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: outcome['costUsd'] ?? null,
    output: output ?? null,
    output_keys: isObject(output) ? Object.keys(output) : [],
  };
}
