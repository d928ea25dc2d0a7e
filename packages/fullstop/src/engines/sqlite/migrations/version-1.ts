/** The first schema. Never changed again: later ones are steps after it. */
export const version1: string = `
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
CREATE INDEX runs_started ON runs (started_at, run_id);
CREATE INDEX runs_ready ON runs (name, version, id) WHERE state = 'ready';
CREATE INDEX runs_waking ON runs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_owned ON runs (owner) WHERE owner IS NOT NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX runs_named ON runs (name, started_at, run_id);
CREATE INDEX runs_kind ON runs (kind, started_at, run_id) WHERE kind IS NOT NULL;

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
CREATE UNIQUE INDEX journal_place ON journal (run, seq);

CREATE TABLE endings (
  run INTEGER NOT NULL REFERENCES runs (id),
  segment INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
  PRIMARY KEY (run, segment)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX endings_closed ON endings (run) WHERE closed = 1;

-- The ending is the last entry of its segment, and a closed one the last of all.
CREATE TRIGGER journal_ended BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM endings WHERE run = NEW.run AND (segment >= NEW.segment OR closed = 1))
BEGIN SELECT RAISE(ABORT, 'nothing is appended behind an ending'); END;
CREATE TRIGGER journal_fixed BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'entries never change'); END;
CREATE TRIGGER endings_fixed BEFORE UPDATE ON endings
BEGIN SELECT RAISE(ABORT, 'endings never change'); END;

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
CREATE UNIQUE INDEX inbox_first_answer ON inbox (run, request) WHERE type = 'answer';
CREATE INDEX inbox_waiting ON inbox (run, consumed, id);

CREATE TABLE outbox (
  id TEXT PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  segment INTEGER NOT NULL,
  target TEXT NOT NULL,
  payload TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  due_at INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at);
CREATE INDEX outbox_run ON outbox (run);

CREATE TABLE blobs (
  hash TEXT PRIMARY KEY,
  data TEXT NOT NULL
) STRICT;
CREATE TABLE blob_uses (
  run INTEGER NOT NULL REFERENCES runs (id),
  hash TEXT NOT NULL REFERENCES blobs (hash),
  PRIMARY KEY (run, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_uses_hash ON blob_uses (hash);

CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  space TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_started TEXT NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
