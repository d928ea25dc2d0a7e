import type { JsonObject } from '../../termination/json.js';

/** One line of the reference's event log. */
export interface ConductorLogEvent {
  readonly type: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly data: JsonObject;
}
