import type { RunRequest } from '../../engines/port/request.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { ForeignCall, ForeignStep } from '../core/foreign-event.js';
import { toJournalJson } from '../core/journal-json.js';
import { nameOfError } from '../core/thrown-cause.js';
import type { AiPart, AiStep, AiToolCall } from './structure.js';

/** Reads a step; `known` messages of the conversation were there before it. */
export function readStep(step: AiStep, model: string, known: number): ForeignStep {
  const { usage } = step;
  const cached = usage?.inputTokenDetails?.cacheReadTokens ?? usage?.cachedInputTokens;
  return {
    model: model === '' ? (step.response?.modelId ?? '') : model,
    text: step.text,
    finish: step.rawFinishReason ?? step.finishReason,
    usage: { inputTokens: usage?.inputTokens, outputTokens: usage?.outputTokens, cachedInputTokens: cached },
    calls: finishedCalls(step),
    // Only the new ones: the AI SDK names all messages of the call at every step.
    messages: step.response.messages.slice(known).map(toJournalJson),
  };
}

/** The calls that have a result; what is asked of a person or of the client has none yet. */
function finishedCalls({ content }: AiStep): readonly ForeignCall[] {
  return content.flatMap((part) => {
    if (part.type !== 'tool-result' && part.type !== 'tool-error') return [];
    const { toolName: tool = '', error } = part;
    const input = toJournalJson(part.input);
    if (part.type === 'tool-result') return [{ tool, input, result: toJournalJson(part.output) }];
    const data = toErrorData(error, { data: false });
    const mistake = mistakeOf(error);
    return [{ tool, input, result: data.message, error: data, ...(mistake !== undefined && { mistake }) }];
  });
}

function mistakeOf(error: unknown): ForeignCall['mistake'] | undefined {
  const name = nameOfError(error);
  if (name === 'AI_NoSuchToolError') return 'unknown_tool';
  return name === 'AI_InvalidToolInputError' ? 'bad_arguments' : undefined;
}

/** The requests for approval in a step that nobody has answered. */
export function approvalsIn({ content }: AiStep): readonly { readonly id: string; readonly call: AiToolCall }[] {
  return content.flatMap(({ type, approvalId, toolCall }) =>
    type === 'tool-approval-request' && approvalId !== undefined && toolCall !== undefined
      ? [{ id: approvalId, call: toolCall }]
      : [],
  );
}

/** The questions for the client: the calls of a step that nobody has performed and nobody is asked about. */
export function clientRequestsIn(step: AiStep): readonly RunRequest[] {
  const approvals = new Set(approvalsIn(step).map(({ call }) => call.toolCallId));
  const done = new Set(step.content.flatMap((part) => (isOutcome(part) ? [part.toolCallId] : [])));
  return step.content.flatMap(({ type, toolCallId, toolName = '', input, providerExecuted }) => {
    if (type !== 'tool-call' || toolCallId === undefined || providerExecuted === true) return [];
    if (done.has(toolCallId) || approvals.has(toolCallId)) return [];
    return [{ id: toolCallId, type: 'client_tool' as const, tool: toolName, input: toJournalJson(input) }];
  });
}

function isOutcome({ type }: AiPart): boolean {
  return type === 'tool-result' || type === 'tool-error';
}
