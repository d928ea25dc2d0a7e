import type { JsonObject } from '../json.js';

/** An error as data: what is left of a thrown value once it has to survive a store and a socket. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  /** Its own fields, such as `orderId`, as far as they are JSON and not too large. */
  readonly data?: JsonObject;
  readonly cause?: ErrorData;
  /** The parts of an AggregateError. */
  readonly errors?: readonly ErrorData[];
}
