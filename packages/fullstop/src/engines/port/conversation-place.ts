/**
 * The place of a run in a conversation. One turn is under way at a time: a start is refused while the latest turn has not
 * ended for good or for now, and a turn after which another was started is never opened again.
 */
export interface ConversationPlace {
  /** The conversation. */
  readonly id: string;
  /** Counts the turns in the order of their starts, on all branches; 1 for the first. */
  readonly turn: number;
  /** The run whose messages this one continues, and the segment in which they were read; absent where a branch begins. */
  readonly after?: { readonly runId: string; readonly segment: number };
}
