import type { JsonValue } from '../../termination/json.js';
import type { AnswerOption, PendingRequest } from '../../termination/kinds/human.js';

/** The effect of a deadline that nobody met: the run ends, or continues as if this had been the answer. */
export type OnExpiry = 'end' | 'reject' | 'approve' | 'escalate';

/** A question that a run asks someone outside. */
export interface RunRequest {
  /** Unique within the run. */
  readonly id: string;
  readonly type: PendingRequest['type'];
  /** For people: what is asked. */
  readonly summary?: string;
  readonly tool?: string;
  readonly input?: JsonValue;
  readonly schema?: JsonValue;
  readonly options?: readonly AnswerOption[];
  /** True when an answer may be something else than one of the options. */
  readonly otherAnswers?: boolean;
  /** A stored instant in milliseconds: it passes whether or not anyone watches. */
  readonly deadline?: number;
  readonly onExpiry?: OnExpiry;
  /** Who may answer, by the name in `by` of the answer; anyone unless given. Answers of others are refused. */
  readonly answerers?: readonly string[];
  /** Who else to notify when it expires with `escalate`, and by when they must answer. */
  readonly escalation?: { readonly to: string; readonly deadline?: number };
  /** More facts that a gate's ending shows. */
  readonly gate?: { readonly proposalId?: string; readonly agentId?: string; readonly cycle?: number };
}

/** A request together with where in the run it was opened. */
export interface OpenRequest extends RunRequest {
  readonly path: string;
  readonly openedAt: number;
}

/** A decision of someone outside. */
export interface RequestAnswer {
  readonly decision: 'approve' | 'deny' | 'value';
  /** The value, an edited input, or the option that was chosen. */
  readonly value?: JsonValue;
  readonly reason?: string;
  readonly by?: string;
}

/** An answer as the run receives it. `expired` means that nobody answered and the deadline decided. */
export interface ReceivedAnswer extends RequestAnswer {
  readonly requestId: string;
  readonly at: number;
  readonly expired?: boolean;
}

/** The fate of an answer. */
export type AnswerReceipt =
  | { readonly status: 'delivered'; readonly at: number }
  /** Someone was first. */
  | { readonly status: 'already'; readonly at: number; readonly by?: string }
  | { readonly status: 'expired'; readonly deadline: number }
  /** The run has a closed ending, or never asked this. */
  | { readonly status: 'ended' }
  | { readonly status: 'unknown' };
