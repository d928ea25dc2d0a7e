/** Lists say of a cost whether it was guessed. Endings of earlier versions never said so. */
export const version7: string = `
ALTER TABLE runs ADD COLUMN estimated INTEGER;
`;
