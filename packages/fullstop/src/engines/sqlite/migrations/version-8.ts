/** Why a run was set aside, and hashes of what no chain covers: messages and notices. Rows of earlier versions have none. */
export const version8: string = `
ALTER TABLE runs ADD COLUMN damage TEXT;
ALTER TABLE inbox ADD COLUMN hash TEXT;
ALTER TABLE outbox ADD COLUMN hash TEXT;
`;
