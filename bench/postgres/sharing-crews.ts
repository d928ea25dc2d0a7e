export const stepsOfEach = 20;

/** Worker processes that execute runs of definitions with their name: one, two with half of the places each, and two as large as the one. */
export const crews = [
  { name: 'one', members: 1, concurrency: 50, label: 'one worker process, 50 runs at once' },
  { name: 'halves', members: 2, concurrency: 25, label: 'two worker processes, 25 runs each' },
  { name: 'two', members: 2, concurrency: 50, label: 'two worker processes, 50 runs each' },
] as const;
