import { answerStatus, isBlank } from '../../models/answer-status.js';
import type { ModelFinish, ModelResponse } from '../../models/model-response.js';
import type { Ending } from '../../termination/ending.js';
import type { ForeignCause } from './foreign-event.js';

/** An answer of a model without calls that are still to be made, in the words of a framework. */
export interface ForeignAnswer {
  readonly agent: string;
  readonly text: string;
  /** The framework's word for why the model stopped. */
  readonly finish: string | undefined;
  /** The provider's own word, where the framework passes it on. */
  readonly rawFinish?: string | undefined;
  /** True when the model asked for tools, or called for some that its provider performed. */
  readonly hasCalls?: boolean;
  /** True when there is something else than text in it: a file, or an output that fits a schema. */
  readonly hasOther?: boolean;
  /** How many tokens an answer may have, where that is known. */
  readonly cap?: number | undefined;
}

const words: Readonly<Record<string, ModelFinish>> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  'content-filter': 'content_filter',
  safety: 'content_filter',
  recitation: 'content_filter',
  refusal: 'content_filter',
  tool_calls: 'tool_calls',
  'tool-calls': 'tool_calls',
  tool_use: 'tool_calls',
  error: 'error',
  interrupted: 'interrupted',
};

/** The unified word for a finish reason of any framework or provider. */
export function readForeignFinish(finish: string | undefined): ModelFinish {
  return words[(finish ?? '').toLowerCase()] ?? 'other';
}

/** The ending of an answer with which a framework ends its loop, by the same table as our own agent's. */
export function causeOfAnswer(answer: ForeignAnswer): ForeignCause {
  const { text, hasOther = false } = answer;
  const finish = readForeignFinish(answer.finish);
  const rawFinish = answer.rawFinish ?? answer.finish;
  const response = {
    text,
    finish,
    ...(rawFinish !== undefined && { rawFinish }),
    toolCalls: [],
    content: [...(hasOther ? [{ type: 'file' }] : []), ...(answer.hasCalls === true ? [{ type: 'tool-call' }] : [])],
  } as unknown as ModelResponse;
  const failure = failureOf(answer, response);
  if (failure !== undefined)
    return { slot: 'step_error', point: 'after_response', termination: failure as unknown as Ending };
  const word = finish === 'stop' || rawFinish === undefined ? {} : { finishReason: rawFinish };
  return { slot: 'goal', point: 'after_response', termination: { kind: 'natural_end', ...word } as Ending };
}

/** The fault of an answer; undefined for one that can be used. */
function failureOf(answer: ForeignAnswer, response: ModelResponse): object | undefined {
  const { agent, text, cap } = answer;
  const { finish, rawFinish } = response;
  switch (answerStatus(response)) {
    case 'truncated': {
      const reason = isBlank(response) && answer.hasCalls !== true ? 'thinking_starved' : 'length';
      return { kind: 'output_truncated', reason, ...(cap !== undefined && { cap }) };
    }
    case 'overflow':
      return { kind: 'prompt_too_long' };
    case 'refused': {
      const by = rawFinish === 'refusal' ? 'model' : 'filter';
      return { kind: 'agent_refused', agentId: agent, reason: text || 'The answer was withheld.', by };
    }
    case 'empty':
    case 'calls_missing':
      return { kind: 'no_answer', attempts: 1, ...(rawFinish !== undefined && { finishReason: rawFinish }) };
    default:
      return finish === 'interrupted' || finish === 'error'
        ? { kind: 'provider_failed', attempts: 1, message: `The model finished with ${answer.finish}.` }
        : undefined;
  }
}
