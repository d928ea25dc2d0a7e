/** The usage of runs that spawned one another, and the calls of providers that all processes count together. */
export const version2 = `
CREATE TABLE @spending (
  run_id TEXT COLLATE "C" PRIMARY KEY REFERENCES @runs (run_id) ON DELETE CASCADE,
  -- The runs above it, the outermost first.
  ancestors TEXT[] NOT NULL,
  tokens DOUBLE PRECISION NOT NULL,
  nanos DOUBLE PRECISION NOT NULL,
  limit_tokens DOUBLE PRECISION,
  limit_nanos DOUBLE PRECISION
) WITH (fillfactor = 70);
CREATE INDEX spending_ancestors ON @spending USING GIN (ancestors);

CREATE TABLE @providers (
  name TEXT COLLATE "C" PRIMARY KEY,
  paused_until TIMESTAMPTZ
);

CREATE TABLE @provider_calls (
  id TEXT COLLATE "C" PRIMARY KEY,
  provider TEXT COLLATE "C" NOT NULL REFERENCES @providers (name),
  owner TEXT COLLATE "C" NOT NULL,
  begun_at TIMESTAMPTZ NOT NULL,
  ended_at TIMESTAMPTZ
);
CREATE INDEX provider_calls_begun ON @provider_calls (provider, begun_at);
`;
