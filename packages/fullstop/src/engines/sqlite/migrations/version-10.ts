/** The turns of conversations: the latest one of each, and all of them in order. */
export const version10: string = `
ALTER TABLE runs ADD COLUMN conversation TEXT;
ALTER TABLE runs ADD COLUMN turn INTEGER;
ALTER TABLE runs ADD COLUMN after_run TEXT;
ALTER TABLE runs ADD COLUMN after_segment INTEGER;
CREATE INDEX runs_turns ON runs (conversation, turn) WHERE conversation IS NOT NULL;
`;
