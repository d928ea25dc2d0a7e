import type { JsonValue } from '../../termination/json.js';

/** A proposal that was not promoted, and why. */
export interface ProposalRejection {
  readonly cycle: number;
  /** `key/id`. */
  readonly ref: string;
  readonly by: string;
  /** Its form or content is wrong; a promotion gate or a person said no; a gate has rejected or changed the same before; the id is taken. */
  readonly type: 'invalid' | 'gate' | 'human' | 'refused_before' | 'conflict';
  readonly reason: string;
  readonly payload: JsonValue;
  /** The promotion gate or human gate that said so. */
  readonly gate?: string;
  /** Who said so, where a person did. */
  readonly who?: string;
  /** The content that stands under the same id. */
  readonly existing?: JsonValue;
}
