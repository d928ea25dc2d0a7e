/** The entries that a new owner needs of the time before a checkpoint; queries must use the very same words. */
export const frameCondition: string = `(type IN ('run_started', 'segment_opened', 'segment_ended', 'scope_opened', 'child_spawned', 'request_opened',
  'request_answered', 'request_expired', 'request_withdrawn', 'cancel_requested', 'checkpointed') OR key = 'taken_up')`;

/** Finds the last checkpoint of a long run, and the few entries before it that matter, without reading the others. */
export const version3: string = `CREATE INDEX journal_frame ON journal (run, seq) WHERE ${frameCondition};`;
