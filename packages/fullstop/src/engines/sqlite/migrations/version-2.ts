/** Tombstones of erased runs (that there was one, its length and its last hash), lists of children, and the usage of runs. */
export const version2: string = `
CREATE TABLE tombstones (
  run_id TEXT PRIMARY KEY,
  erased_at INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  head TEXT,
  erased_by TEXT
) STRICT, WITHOUT ROWID;
-- What a run has used up to its ending, so that lists need not read the ending itself. Endings that a codec hides are still read.
ALTER TABLE runs ADD COLUMN input_tokens REAL;
ALTER TABLE runs ADD COLUMN output_tokens REAL;
ALTER TABLE runs ADD COLUMN total_tokens REAL;
ALTER TABLE runs ADD COLUMN cost_usd REAL;
ALTER TABLE runs ADD COLUMN duration_ms REAL;
UPDATE runs SET (input_tokens, output_tokens, total_tokens, cost_usd, duration_ms) = (
  SELECT data ->> '$.envelope.usage.inputTokens', data ->> '$.envelope.usage.outputTokens', data ->> '$.envelope.usage.totalTokens',
    data ->> '$.envelope.costUsd', data ->> '$.envelope.durationMs'
  FROM journal WHERE run = runs.id AND seq = runs.ending_seq AND json_valid(data)
) WHERE ending_seq IS NOT NULL;
CREATE INDEX runs_spawned ON runs (parent_run, started_at, run_id) WHERE parent_run IS NOT NULL;
`;
