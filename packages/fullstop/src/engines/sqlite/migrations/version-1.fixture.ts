/** A file as version 1 of the schema has written it: one run that ended, one that waits. Never generated again. */
export const written: string = `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  parent_run TEXT,
  parent_scope TEXT,
  state TEXT NOT NULL CHECK (state IN ('ready', 'running', 'parked', 'ended')),
  segment INTEGER NOT NULL,
  opened_by TEXT,
  started_at INTEGER NOT NULL,
  -- Who executes it. Every change of hands counts the epoch up; writes under an older one are refused.
  owner TEXT,
  worker TEXT,
  epoch INTEGER NOT NULL DEFAULT 0,
  wake_at INTEGER,
  -- How many owners died since the entry recovery_seq was the last one.
  recoveries INTEGER NOT NULL DEFAULT 0,
  recovery_seq INTEGER,
  -- The first entry that does not fit the chain, once one was found.
  damaged_seq INTEGER,
  -- The ending that no later segment has taken up.
  ending_seq INTEGER,
  ended_at INTEGER,
  closed INTEGER,
  kind TEXT,
  category TEXT,
  outcome TEXT,
  summary TEXT
) STRICT;
CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  segment INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  scope TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  key TEXT,
  data TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE endings (
  run INTEGER NOT NULL REFERENCES runs (id),
  segment INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
  PRIMARY KEY (run, segment)
) STRICT, WITHOUT ROWID;
CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  request TEXT NOT NULL,
  seq INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'expired')),
  deadline INTEGER,
  answered_at INTEGER,
  answered_by TEXT,
  UNIQUE (run, request)
) STRICT;
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES runs (id),
  type TEXT NOT NULL CHECK (type IN ('answer', 'cancel')),
  request TEXT,
  sender TEXT,
  at INTEGER NOT NULL,
  data TEXT NOT NULL,
  consumed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE outbox (
  id TEXT PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  segment INTEGER NOT NULL,
  target TEXT NOT NULL,
  payload TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;
CREATE TABLE blobs (
  hash TEXT PRIMARY KEY,
  data TEXT NOT NULL
) STRICT;
CREATE TABLE blob_uses (
  run INTEGER NOT NULL REFERENCES runs (id),
  hash TEXT NOT NULL REFERENCES blobs (hash),
  PRIMARY KEY (run, hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  space TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_started TEXT NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX runs_started ON runs (started_at, run_id);
CREATE INDEX runs_ready ON runs (name, version, id) WHERE state = 'ready';
CREATE INDEX runs_waking ON runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_owned ON runs (owner) WHERE owner IS NOT NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX runs_named ON runs (name, started_at, run_id);
CREATE INDEX runs_kind ON runs (kind, started_at, run_id) WHERE kind IS NOT NULL;
CREATE UNIQUE INDEX journal_place ON journal (run, seq);
CREATE UNIQUE INDEX endings_closed ON endings (run) WHERE closed = 1;
CREATE UNIQUE INDEX inbox_first_answer ON inbox (run, request) WHERE type = 'answer';
CREATE INDEX inbox_waiting ON inbox (run, consumed, id);
CREATE INDEX outbox_due ON outbox (due_at);
CREATE INDEX outbox_run ON outbox (run);
CREATE INDEX blob_uses_hash ON blob_uses (hash);
INSERT INTO runs (id, run_id, name, version, parent_run, parent_scope, state, segment, opened_by, started_at, owner, worker, epoch, wake_at, recoveries, recovery_seq, damaged_seq, ending_seq, ended_at, closed, kind, category, outcome, summary) VALUES (1, 'done', 'test', '1', NULL, NULL, 'ended', 1, NULL, 1800000000001, NULL, NULL, 2, NULL, 0, NULL, NULL, 3, 1800000000001, 1, 'natural_end', 'success', 'succeeded', 'It ended as natural_end.');
INSERT INTO runs (id, run_id, name, version, parent_run, parent_scope, state, segment, opened_by, started_at, owner, worker, epoch, wake_at, recoveries, recovery_seq, damaged_seq, ending_seq, ended_at, closed, kind, category, outcome, summary) VALUES (2, 'paused', 'test', '1', NULL, NULL, 'parked', 1, NULL, 1800000000002, NULL, NULL, 2, NULL, 0, NULL, NULL, 3, 1800000000002, 0, 'interaction_pending', 'paused', 'failed', 'It ended as interaction_pending.');
INSERT INTO journal (id, run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (1, 1, 1, 1, '', -1, 1800000000001, 'run_started', NULL, '{"name":"test","version":"1","input":{"runId":"done"}}', '919c8e6fefaaaa2d38c890425ad86ba975e4bb230eaf322aeebe360c1d84cadc');
INSERT INTO journal (id, run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (2, 1, 1, 2, '', 0, 1800000000001, 'step_ended', 'work', '{"ok":true,"value":"x","attempts":1}', 'ed17757f8af0751ea50a1377711a286db2e11c0ca387b27788265754f75962ca');
INSERT INTO journal (id, run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (3, 1, 1, 3, '', -1, 1800000000001, 'segment_ended', NULL, '{"envelope":{"schemaVersion":1,"runId":"done","segment":1,"name":"test","termination":{"kind":"natural_end"},"also":[],"outcome":"succeeded","category":"success","family":"flow","open":false,"tag":"natural_end","summary":"It ended as natural_end.","nextAction":"None.","resumable":{"how":"no"},"usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0},"costUsd":0,"durationMs":0,"endedAt":1800000000001}}', '2d88343fa27cddbc11a95e7f41999efe5900794116c092f84fb6c0220fc14920');
INSERT INTO journal (id, run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (4, 2, 1, 1, '', -1, 1800000000002, 'run_started', NULL, '{"name":"test","version":"1","input":{"runId":"paused"}}', '6c8a6a03b502ca4a23422b23cf48b455d7185a8aac77f12a044636af00ef4ef6');
INSERT INTO journal (id, run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (5, 2, 1, 2, '', 0, 1800000000002, 'request_opened', 'request:ok', '{"request":{"id":"ok","type":"approval","tool":"deploy","path":"","openedAt":1800000000002}}', '36d8af43ab86f2a2970f405185616608656ea7c54a79e11749c87957ac7b5e18');
INSERT INTO journal (id, run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (6, 2, 1, 3, '', -1, 1800000000002, 'segment_ended', NULL, '{"envelope":{"schemaVersion":1,"runId":"paused","segment":1,"name":"test","termination":{"kind":"interaction_pending","requests":[{"id":"ok","path":"","type":"approval","tool":"deploy"}]},"also":[],"outcome":"failed","category":"paused","family":"flow","open":true,"tag":"interaction_pending","summary":"It ended as interaction_pending.","nextAction":"None.","resumable":{"how":"answer"},"usage":{"inputTokens":0,"outputTokens":0,"totalTokens":0},"costUsd":0,"durationMs":0,"endedAt":1800000000002}}', 'd7973ca456e225c6198a2a71d98e616a698314ca93bf8b182b86baef243a46a2');
INSERT INTO endings (run, segment, seq, closed) VALUES (1, 1, 3, 1);
INSERT INTO endings (run, segment, seq, closed) VALUES (2, 1, 3, 0);
INSERT INTO requests (id, run, request, seq, state, deadline, answered_at, answered_by) VALUES (1, 2, 'ok', 2, 'open', NULL, NULL, NULL);
INSERT INTO outbox (id, run, segment, target, payload, attempts, due_at) VALUES ('notice', 1, 1, 'hook', '{"told":true}', 0, 1800000000001);
CREATE TRIGGER journal_ended BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM endings WHERE run = NEW.run AND (segment >= NEW.segment OR closed = 1))
BEGIN SELECT RAISE(ABORT, 'nothing is appended behind an ending'); END;
CREATE TRIGGER journal_fixed BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'entries never change'); END;
CREATE TRIGGER endings_fixed BEFORE UPDATE ON endings
BEGIN SELECT RAISE(ABORT, 'endings never change'); END;
PRAGMA application_id = 1179866192;
PRAGMA user_version = 1;
`;
