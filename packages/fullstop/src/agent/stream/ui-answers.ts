import type { RequestAnswer } from '../../engines/port/request.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { approve, deny } from '../options/directive.js';
import { toolError, toolResult } from '../tools/client-tool.js';

/** A message of the AI SDK's UI, as far as answers are read from it. */
export interface UIMessageLike {
  readonly parts: readonly object[];
  readonly metadata?: unknown;
}

/**
 * The answers of the user in a message that a paused run had written: results of tools that were performed in the
 * browser, and approvals. Only what the ending in its metadata asks is read, so results that the run itself wrote are none.
 *
 * @example
 * agent.resumeStream(runId, { engine, answers: uiAnswers(message) });
 */
export function uiAnswers(message: UIMessageLike): Readonly<Record<string, RequestAnswer>> {
  const open = openRequests(message.metadata);
  const answers: Record<string, RequestAnswer> = {};
  for (const part of message.parts) {
    const read = readPart(part as Readonly<Record<string, unknown>>);
    if (read !== undefined && open.get(read.id) === read.type) answers[read.id] = read.answer;
  }
  return answers;
}

interface ReadAnswer {
  readonly id: string;
  readonly type: 'client_tool' | 'approval';
  readonly answer: RequestAnswer;
}

function readPart(part: Readonly<Record<string, unknown>>): ReadAnswer | undefined {
  const { toolCallId, state, output = null, errorText, approval } = part;
  if (typeof toolCallId !== 'string') return undefined;
  switch (state) {
    case 'output-available':
      return { id: toolCallId, type: 'client_tool', answer: toolResult(output as JsonValue) };
    case 'output-error':
      return { id: toolCallId, type: 'client_tool', answer: toolError(String(errorText)) };
    case 'approval-responded':
      return isObject(approval) ? readApproval(approval) : undefined;
    default:
      return undefined;
  }
}

/** Only a plain yes is a yes. */
function readApproval({ id, approved, reason }: Readonly<Record<string, unknown>>): ReadAnswer {
  const note = typeof reason === 'string' ? { reason } : {};
  return { id: String(id), type: 'approval', answer: approved === true ? approve(note) : deny(note) };
}

function openRequests(metadata: unknown): ReadonlyMap<unknown, unknown> {
  const ending = isObject(metadata) ? metadata['ending'] : undefined;
  const requests: unknown = isObject(ending) ? ending['requests'] : undefined;
  const list: readonly unknown[] = Array.isArray(requests) ? requests : [];
  return new Map(list.flatMap((request) => (isObject(request) ? [[request['id'], request['type']] as const] : [])));
}
