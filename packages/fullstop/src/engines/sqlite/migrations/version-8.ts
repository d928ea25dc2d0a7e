/** The parts of the schema, why a run was set aside, and hashes of what no chain covers: messages and notices. Rows of earlier versions have none. */
export const version8: string = `
CREATE TABLE schema_marks (name TEXT PRIMARY KEY, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
ALTER TABLE runs ADD COLUMN damage TEXT;
ALTER TABLE inbox ADD COLUMN hash TEXT;
ALTER TABLE outbox ADD COLUMN hash TEXT;
`;
