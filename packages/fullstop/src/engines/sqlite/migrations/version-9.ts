/**
 * Owners show signs of life as numbers that others see change; times are only for people. A run remembers how its owners were lost
 * since the entry recovery_seq was the last one.
 */
export const version9: string = `
ALTER TABLE workers RENAME COLUMN lease_until TO seen_at;
ALTER TABLE workers ADD COLUMN beat INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workers ADD COLUMN lease_ms INTEGER NOT NULL DEFAULT 10000;
ALTER TABLE runs ADD COLUMN lost_owners TEXT;
`;
