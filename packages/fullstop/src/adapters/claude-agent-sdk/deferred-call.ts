import type { ReceivedAnswer, RunRequest } from '../../engines/port/request.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { toJournalJson } from '../core/journal-json.js';
import { property, textOf } from '../core/thrown-cause.js';
import type { ClaudeResult } from './structure.js';

/** The tool of the SDK with which the model asks; its result is the answer of a person. */
const questionTool = 'AskUserQuestion';

/** The question that a deferred call is: the model's own, or whether the call may be made. */
export function requestOf({ id, name, input }: NonNullable<ClaudeResult['deferred_tool_use']>): RunRequest {
  return { id, type: name === questionTool ? 'input' : 'approval', tool: name, input: toJournalJson(input) };
}

/** The words of a `PreToolUse` hook for the answer of a person. */
export function verdictOf({ type, input }: RunRequest, { decision, value, reason }: ReceivedAnswer): object {
  const said = reason !== undefined && { permissionDecisionReason: reason };
  if (decision === 'deny') return { permissionDecision: 'deny', ...said };
  const answered = type === 'input' && { updatedInput: { ...(input as object), answers: answersOf(input, value) } };
  return { permissionDecision: decision === 'approve' || type === 'input' ? 'allow' : 'deny', ...answered, ...said };
}

/** The answers by their questions, as the SDK wants them; a text alone answers the first. */
function answersOf(input: unknown, value: JsonValue | undefined): object {
  if (isObject(value)) return value;
  const questions = property(input, 'questions');
  const first = Array.isArray(questions) ? textOf(property(questions[0], 'question')) : undefined;
  return first === undefined || value === undefined ? {} : { [first]: String(value) };
}
