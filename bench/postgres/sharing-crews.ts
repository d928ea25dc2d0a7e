export const stepsOfEach = 20;

/** Both execute 50 runs at once, of definitions with their name; a crew of two does so in two processes. */
export const crews = [
  { name: 'one', members: 1 },
  { name: 'two', members: 2 },
] as const;
