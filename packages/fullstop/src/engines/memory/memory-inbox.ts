import type { InboxMessage } from '../port/engine.js';
import type { OpenRequest } from '../port/request.js';
import type { AnswerFacts } from '../rules/answer-receipt.js';
import { isConsumed } from '../rules/consumption.js';
import type { EntryEffect } from '../rules/entry-effect.js';
import { changeRequest, type RequestFacts } from '../rules/request-facts.js';
import type { WaitingMessage } from '../rules/waking.js';

type Message = InboxMessage;

/** The requests of a run and the messages to it. */
export class MemoryInbox {
  readonly #requests = new Map<string, { readonly request: OpenRequest; readonly facts: RequestFacts }>();
  /** The first answer to each request. */
  readonly #delivered = new Map<string, { readonly at: number; readonly by?: string | undefined }>();
  /** Messages that no entry has consumed yet. */
  #messages: readonly Message[] = [];
  /** Those that were there when the session began. */
  #known: ReadonlySet<Message> = new Set();
  #listener: ((message: Message) => void) | undefined;

  get openRequests(): readonly OpenRequest[] {
    return [...this.#requests.values()].filter(({ facts }) => facts.state === 'open').map(({ request }) => request);
  }

  request(requestId: string): OpenRequest | undefined {
    return this.#requests.get(requestId)?.request;
  }

  answerFacts(requestId: string): Pick<AnswerFacts, 'delivered' | 'request'> {
    return { delivered: this.#delivered.get(requestId), request: this.#requests.get(requestId)?.facts };
  }

  /** The messages that may wake the run; those that its last session had are marked. */
  get waiting(): readonly WaitingMessage[] {
    return this.#messages.map((message) => ({ ...toWaiting(message), known: this.#known.has(message) }));
  }

  /** All messages, as someone sees them who claims the run by hand. */
  get all(): readonly WaitingMessage[] {
    return this.#messages.map(toWaiting);
  }

  send(message: Message): WaitingMessage {
    if (message.type === 'answer') {
      const { requestId, at, answer } = message;
      this.#delivered.set(requestId, { at, by: answer.by });
    }
    this.#messages = [...this.#messages, message];
    this.#listener?.(message);
    return toWaiting(message);
  }

  /** A session begins: whatever it finds has its chance now, and wakes nobody when the session ends. */
  beginSession(): void {
    this.#known = new Set(this.#messages);
  }

  listen(listener: (message: Message) => void): () => void {
    this.#listener = listener;
    for (const message of this.#messages) listener(message);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  endSession(): void {
    this.#listener = undefined;
  }

  /** Applies an entry's effect; `opened` is the request that the entry opens, if it does. */
  apply({ request: change, consumes }: EntryEffect, opened: OpenRequest | undefined): void {
    if (change !== undefined) {
      const before = this.#requests.get(change.id);
      const request = opened ?? before?.request;
      const facts = changeRequest(before?.facts, change);
      if (facts === undefined || request === undefined) this.#requests.delete(change.id);
      else this.#requests.set(change.id, { request, facts });
    }
    if (consumes !== undefined && this.#messages.length > 0)
      this.#messages = this.#messages.filter((message) => !isConsumed(message, consumes));
  }
}

function toWaiting(message: Message): WaitingMessage {
  return { type: message.type, by: message.type === 'answer' ? message.answer.by : message.request.by };
}
