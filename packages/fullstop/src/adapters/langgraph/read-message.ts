import type { JsonValue } from '../../termination/json.js';
import { toJournalJson } from '../core/journal-json.js';
import { property } from '../core/thrown-cause.js';
import type { ChainMessage } from './structure.js';

/** The type of a message: `human`, `ai`, `tool`, `system`. */
export function typeOfMessage(message: ChainMessage | undefined): string {
  try {
    return message?.getType?.() ?? '';
  } catch {
    return '';
  }
}

/** The text of a message. */
export function textOfMessage(message: ChainMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (property(part, 'type') === 'text' ? String(property(part, 'text') ?? '') : ''))
    .join('');
}

const finishNames = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason'];

/** The provider's word for why the model stopped; each provider keeps it under a name of its own. */
export function finishOfMessage(message: ChainMessage | undefined): string | undefined {
  for (const source of [message?.response_metadata, message?.additional_kwargs]) {
    for (const name of finishNames) {
      const word = source?.[name];
      if (typeof word === 'string' && word !== '') return word;
    }
  }
  return undefined;
}

/** The words with which the model refused, where the provider keeps that apart. */
export function refusalOfMessage(message: ChainMessage | undefined): string | undefined {
  const refusal = message?.additional_kwargs?.['refusal'];
  return typeof refusal === 'string' && refusal !== '' ? refusal : undefined;
}

/** A message as the journal has it. */
export function journalMessage(message: ChainMessage): JsonValue {
  const { name, tool_call_id: callId, tool_calls: calls, status } = message;
  return toJournalJson({
    type: typeOfMessage(message),
    content: message.content,
    ...(name !== undefined && { name }),
    ...(callId !== undefined && { tool_call_id: callId }),
    ...(calls !== undefined && calls.length > 0 && { tool_calls: calls }),
    ...(status !== undefined && { status }),
  });
}
