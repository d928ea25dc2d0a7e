import type { InboxMessage } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { OpenRequest, ReceivedAnswer } from '../../engines/port/request.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { Seen } from './step-call.js';
import type { Stopping } from './stopping.js';
import type { Unit } from './unit.js';

/** The operation that asks. */
export interface Asking {
  readonly key: string;
  readonly unit: Unit;
  readonly ordinal: number;
  /** Notified where in the journal the answer is. */
  readonly seen?: Seen | undefined;
  /** Withdraws the question when its batch stops. */
  readonly stopping?: Stopping | undefined;
}

/** An operation that waits for an answer. */
export interface WaitingRequest extends Asking {
  readonly request: OpenRequest;
  /** The place of the question in the journal. */
  readonly seq: number;
  resolve(answer: ReceivedAnswer): void;
  reject(error: unknown): void;
  /** Stops its timer and releases its unit. */
  stop(): void;
}

/** Where a request was opened. */
export interface RequestPlace {
  readonly scope: string;
  readonly ordinal: number;
  readonly key: string | undefined;
  readonly seq: number;
}

export type AnswerMessage = Extract<InboxMessage, { type: 'answer' }>;

/** The requests of a run that nobody has answered yet. */
export class OpenRequests {
  /** Causes that would end the run if nothing were open: they lost against the requests when it pauses. */
  causes: readonly AnyTermination[] = [];
  /** Requests that are open in the journal and that nobody waits for yet: the body has still to reach them. */
  readonly unasked: Map<string, RequestPlace>;
  /** Answers that came before their request was asked again by the replayed body. */
  readonly early: Map<string, AnswerMessage> = new Map();
  readonly #waiting = new Map<string, WaitingRequest>();
  readonly #places = new Map<string, string>();

  constructor(history: readonly JournalEntry[]) {
    this.unasked = openInJournal(history);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The open requests in the order in which they were opened, which is not always the order in which a replayed body reaches them. */
  get list(): readonly OpenRequest[] {
    return [...this.#waiting.values()].sort((left, right) => left.seq - right.seq).map(({ request }) => request);
  }

  get deadlines(): readonly number[] {
    return this.list.flatMap(({ deadline }) => (deadline === undefined ? [] : [deadline]));
  }

  find(requestId: string): WaitingRequest | undefined {
    return this.#waiting.get(requestId);
  }

  isOpen(waiting: WaitingRequest): boolean {
    return this.#waiting.get(waiting.request.id) === waiting;
  }

  add(waiting: WaitingRequest): void {
    this.#waiting.set(waiting.request.id, waiting);
    this.unasked.delete(waiting.request.id);
    waiting.unit.countRequest(1);
  }

  /** Removes a request; false when that was done already. */
  remove(waiting: WaitingRequest): boolean {
    if (!this.isOpen(waiting)) return false;
    this.#waiting.delete(waiting.request.id);
    waiting.unit.countRequest(-1);
    waiting.stop();
    return true;
  }

  /** Answers find their request by its id, so two of the same id could never both be answered. */
  refuseSameId(id: string, place: string): void {
    const other = this.#places.get(id);
    this.#places.set(id, place);
    if (other === undefined || other === place) return;
    throw new FullstopError(
      'INVALID_OPTION',
      `The run asks twice under the id ${JSON.stringify(id)}; every request needs an id of its own.`,
    );
  }

  close(): void {
    for (const waiting of this.#waiting.values()) waiting.stop();
  }
}

function openInJournal(history: readonly JournalEntry[]): Map<string, RequestPlace> {
  const open = new Map<string, RequestPlace>();
  for (const entry of history) {
    const { type, scope, ordinal, key, seq, data } = entry;
    if (type === 'request_opened') open.set(data.request.id, { scope, ordinal, key, seq });
    else if (type === 'request_answered') open.delete(data.answer.requestId);
    else if (type === 'request_withdrawn') open.delete(data.requestId);
  }
  return open;
}
