import type { ModelResponse } from './model-response.js';

/**
 * The worth of an answer. `final`: a text and no calls, whatever the provider's word for it. `paused`: the provider wants the
 * conversation back to continue. `overflow`: the window of the model was full. `calls_missing`: calls were announced and none came.
 */
export type AnswerStatus =
  | 'calls'
  | 'final'
  | 'empty'
  | 'calls_missing'
  | 'paused'
  | 'truncated'
  | 'overflow'
  | 'refused';

/** Anthropic's words for a turn that the same conversation continues. */
const pauses: ReadonlySet<string | undefined> = new Set(['pause_turn', 'compaction']);

/** Reads what an answer is worth from what is in it and why it stopped. docs/agents.md has this as a table. */
export function answerStatus(response: ModelResponse): AnswerStatus {
  const { finish, rawFinish, toolCalls, content } = response;
  if (finish === 'content_filter' || rawFinish === 'refusal') return 'refused';
  if (rawFinish === 'model_context_window_exceeded') return 'overflow';
  if (finish === 'length') return 'truncated';
  if (toolCalls.length > 0) return 'calls';
  if (pauses.has(rawFinish)) return 'paused';
  // A call that the provider performs itself was made, though not by us.
  if (finish === 'tool_calls' && !content.some(({ type }) => type === 'tool-call')) return 'calls_missing';
  // A model may answer with a picture alone.
  return isBlank(response) && !content.some(({ type }) => type === 'file') ? 'empty' : 'final';
}

/** True for an answer without a text. */
export function isBlank({ text }: Pick<ModelResponse, 'text'>): boolean {
  return text.trim() === '';
}
