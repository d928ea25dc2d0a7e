import { parseCallKey } from '../../agent/machine/agent-key.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import { findStep, objectOf } from './described-workflow.js';
import type { EventWriter, InUnit } from './event-writer.js';
import type { UnitScope } from './workflow-scope.js';

/** One question to a model, with the attempts that it took. */
export function writeModelCall(writer: EventWriter, entry: JournalEntry, { unit, value }: InUnit): void {
  const { workflow, step } = unit;
  const output = objectOf(value['output']);
  if (unit.correcting !== undefined) {
    unit.corrections += 1;
    const recovery = { agent_name: step, attempt: unit.corrections, reason: 'schema', error: unit.correcting };
    writer.write(workflow, entry, 'agent_parse_recovery', recovery);
  }
  const attempts = typeof value['attempts'] === 'number' ? value['attempts'] : 1;
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    writer.write(workflow, entry, 'agent_retry', { agent_name: step, attempt });
  }
  addUsage(unit, value);
  unit.correcting = output['ok'] === false ? violationsText(output['violations']) : undefined;
}

function addUsage({ usage }: UnitScope, { response, charge }: JsonObject): void {
  const model = objectOf(response)['modelId'];
  const { inputTokens, outputTokens } = objectOf(charge);
  if (typeof model === 'string') usage.model = model;
  if (typeof inputTokens === 'number') usage.inputTokens += inputTokens;
  if (typeof outputTokens === 'number') usage.outputTokens += outputTokens;
  const calls = objectOf(response)['toolCalls'];
  usage.toolInputs = Array.isArray(calls) ? calls.map((call) => objectOf(call)['input'] ?? null) : [];
}

const longestError = 500;

function violationsText(violations: JsonValue | undefined): string {
  const messages = Array.isArray(violations) ? violations.map((each) => String(objectOf(each)['message'] ?? '')) : [];
  return messages.join('; ').slice(0, longestError);
}

/** One call of a tool. */
export function writeToolCall(writer: EventWriter, entry: JournalEntry, { unit, value }: InUnit): void {
  const { tool = '', number = 1 } = parseCallKey(entry.key ?? '') ?? {};
  const data = { agent_name: unit.step, tool_name: tool };
  const input = value['input'] ?? unit.usage.toolInputs[number - 1] ?? null;
  writer.write(unit.workflow, entry, 'agent_tool_start', { ...data, arguments: input });
  writer.write(unit.workflow, entry, 'agent_tool_complete', {
    ...data,
    result: objectOf(value['output'])['value'] ?? null,
  });
}

/** A second model begins to judge the output of a step. */
export function writeValidatorStart(writer: EventWriter, entry: JournalEntry, { workflow, step }: UnitScope): void {
  const { model, criteria = '' } = validatorOf({ workflow, step });
  writer.write(workflow, entry, 'agent_validator_start', {
    agent_name: step,
    model: model ?? null,
    criteria_preview: String(criteria).slice(0, 200),
  });
}

/** Writes the findings of the judge. */
export function writeValidatorEnd(writer: EventWriter, entry: JournalEntry<'unit_ended'>, unit: UnitScope): void {
  const { workflow, step, usage, part } = unit;
  const judge = usage.model;
  usage.model = part?.model ?? null;
  const details = objectOf(entry.data.output);
  const { passed, issues: found } = objectOf(details['output']);
  const { inputTokens = null, outputTokens = null, totalTokens = null } = objectOf(details['usage']);
  const issues = Array.isArray(found) ? found.map(String) : [];
  writer.write(workflow, entry, 'agent_validator_complete', {
    agent_name: step,
    passed: passed !== false,
    issues,
    errored: typeof passed !== 'boolean',
    model: judge,
    tokens: totalTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: details['costUsd'] ?? null,
    elapsed: (entry.at - (part?.openedAt ?? entry.at)) / 1000,
  });
  if (passed !== false) return;
  const retries = validatorOf({ workflow, step })['max_retries'] ?? 1;
  writer.write(workflow, entry, 'agent_validation_failed', { agent_name: step, issues, will_retry: retries !== 0 });
}

function validatorOf({ workflow, step }: Pick<UnitScope, 'workflow' | 'step'>): JsonObject {
  return workflow.source === undefined ? {} : objectOf(findStep(workflow.source, step)['validator']);
}
