import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { PendingRequest } from '../../termination/kinds/human.js';

/**
 * The ending of a run as it is in the metadata of the message. It has the same members whatever the ending is, and no objects
 * inside: a client that merges metadata, as the AI SDK does, replaces an earlier ending wholly.
 */
export interface UIEnding {
  readonly runId: string;
  readonly segment: number;
  /** How far the journal went: whoever has the message up to here follows the run `after` it. 0 where it could not be stored. */
  readonly cursor: number;
  readonly kind: string;
  readonly category: string;
  readonly outcome: string;
  readonly tag: string;
  readonly summary: string;
  readonly nextAction: string;
  /** How long to wait before another try; null where that is not known. */
  readonly retryAfterMs: number | null;
  /** The requests that wait for someone; empty unless the run is paused. */
  readonly requests: readonly PendingRequest[];
}

/** The ending in the data part of a message, with its evidence: masked, unless the stream was asked for the whole one. */
export interface UIEndingData extends UIEnding {
  readonly termination: Ending;
}

/** A part of a UI message stream of the AI SDK; these are the ones that an agent writes. */
export type UIMessageChunk =
  | { readonly type: 'start' | 'start-step' | 'finish-step' }
  | { readonly type: 'text-start' | 'reasoning-start'; readonly id: string }
  | { readonly type: 'text-end'; readonly id: string; readonly providerMetadata?: UIMark }
  | { readonly type: 'reasoning-end'; readonly id: string; readonly providerMetadata?: UIMark }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | UIToolChunk
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: 'source-document';
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
    }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: 'data-ending'; readonly id: 'ending'; readonly data: UIEndingData }
  | {
      readonly type: 'finish';
      readonly finishReason: UIFinishReason;
      readonly messageMetadata: { readonly ending: UIEnding };
    }
  | { readonly type: 'error'; readonly errorText: string };

/** A chunk about a call of a tool, as the AI SDK's clients read it. */
export type UIToolChunk =
  | { readonly type: 'tool-input-start'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
      readonly providerExecuted?: true;
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: JsonValue;
      readonly providerExecuted?: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly providerExecuted?: true;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string };

/** Our mark on a text or a thought: its attempt was discarded, so whoever shows the message leaves the part out. */
export type UIMark = Readonly<Record<'fullstop', { readonly discarded: boolean }>>;

/** How a message ended, in the words of the AI SDK's clients. */
export type UIFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** The error of a call in a discarded attempt: clients accept no mark there, so its text is one. */
export const discardedText = 'This call belongs to an attempt that was discarded.';

/** True for a part of a UI message that belongs to a discarded attempt of a model: to be left out where the message is shown. */
export function isDiscarded(part: object): boolean {
  const { providerMetadata, state, errorText } = part as Readonly<Record<string, unknown>>;
  if (state === 'output-error') return errorText === discardedText;
  return (providerMetadata as Partial<UIMark> | undefined)?.fullstop?.discarded === true;
}
