/** As before, but what most entries are is ruled out first: every append asks this. Replaced by version 6. */
export const frameCondition: string =
  "(type <> 'step_ended' AND (type IN ('run_started', 'segment_opened', 'segment_ended', 'scope_opened', 'child_spawned', 'request_opened', 'request_answered', 'request_expired', 'request_withdrawn', 'cancel_requested', 'checkpointed') OR key = 'taken_up'))";

export const version4: string = `
DROP INDEX journal_frame;
CREATE INDEX journal_frame ON journal (run, seq) WHERE ${frameCondition};
`;
