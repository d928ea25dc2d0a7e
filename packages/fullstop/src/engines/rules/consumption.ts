import type { InboxMessage } from '../port/engine.js';

/** The messages that an entry uses up: the answer to a request, or every wish to cancel. */
export type Consumption = { readonly type: 'answer'; readonly requestId: string } | { readonly type: 'cancel' };

export function isConsumed(message: InboxMessage, consumption: Consumption): boolean {
  if (consumption.type === 'cancel') return message.type === 'cancel';
  return message.type === 'answer' && message.requestId === consumption.requestId;
}
