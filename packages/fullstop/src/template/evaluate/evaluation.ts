import { Dict } from '../dict.js';
import { seededNumbers } from '../operators/seeded-numbers.js';
import type { Value } from '../value.js';
import { limitFault } from './fault.js';

/** The bounds of one evaluation; every check happens before the work or the memory is spent. */
export const limits = {
  /** Loop rounds, elements visited, calls, and 32 characters or 8 elements of a new value, one step each. */
  steps: 2_000_000,
  /** Characters of a text. */
  textLength: 10_000_000,
  /** Elements of a list. */
  listLength: 1_000_000,
  /** Bits of an int. */
  intBits: 400_000,
  /** Nested calls, includes and recursive loops. */
  depth: 120,
  /** Nested levels of a value when it is printed, compared or written. */
  valueDepth: 500,
} as const;

type Mutable = Value[] | Dict;

/** The current evaluation. Evaluations are synchronous, so there is one at a time. */
interface Evaluation {
  steps: number;
  depth: number;
  /** Where in the source the last operation stands. */
  at: number;
  random: (() => number) | undefined;
  /** Lists and dicts that were changed, as they were before: data of the scope must not change for others. */
  changed: Map<Mutable, Mutable> | undefined;
}

// Outside an evaluation, as when a value is printed for a message, nothing is counted.
export const evaluation: Evaluation = {
  steps: Number.POSITIVE_INFINITY,
  depth: 0,
  at: 0,
  random: undefined,
  changed: undefined,
};

/** Runs one evaluation with full fuel, and takes back what it changed in the scope's data. */
export function evaluating<T>(seed: number, work: () => T): T {
  const { steps, depth, at, random, changed } = evaluation;
  evaluation.steps = limits.steps;
  evaluation.depth = 0;
  evaluation.random = undefined;
  evaluation.changed = undefined;
  currentSeed = seed;
  try {
    return work();
  } finally {
    if (evaluation.changed !== undefined) restore(evaluation.changed);
    evaluation.steps = steps;
    evaluation.depth = depth;
    evaluation.at = at;
    evaluation.random = random;
    evaluation.changed = changed;
  }
}

let currentSeed = 0;

/** A number from 0 to below 1, the same for the same seed. */
export function nextRandom(): number {
  evaluation.random ??= seededNumbers(currentSeed);
  return evaluation.random();
}

/** Pays for work before it is done. */
export function spend(steps: number): void {
  evaluation.steps -= steps;
  if (evaluation.steps < 0) throw limitFault(`the evaluation takes more than ${limits.steps} steps`);
}

/** Refuses a text that would get longer than this; for texts that grow by little, which is paid for elsewhere. */
export function checkText(length: number): void {
  if (length > limits.textLength) throw limitFault(`a text of more than ${limits.textLength} characters is refused`);
}

/** Pays for a text of this length before it is built or searched. */
export function allowText(length: number): void {
  checkText(length);
  if (length > 32) spend(length >>> 5);
}

/** Refuses a list that would get longer than this. */
export function checkList(length: number): void {
  if (length > limits.listLength) throw limitFault(`a list of more than ${limits.listLength} elements is refused`);
}

/** Pays for a list of this length before it is built. */
export function allowList(length: number): void {
  checkList(length);
  if (length > 8) spend(length >>> 3);
}

/** Must be called before a list or dict changes. */
export function willChange(target: Mutable): void {
  evaluation.changed ??= new Map();
  if (evaluation.changed.has(target)) return;
  allowList(target instanceof Dict ? target.size : target.length);
  evaluation.changed.set(target, target instanceof Dict ? target.copy() : [...target]);
}

/** Runs something one level deeper. */
export function runNested<T>(work: () => T): T {
  if (evaluation.depth >= limits.depth) throw limitFault('maximum recursion depth exceeded');
  evaluation.depth += 1;
  spend(1);
  try {
    return work();
  } finally {
    evaluation.depth -= 1;
  }
}

function restore(changed: ReadonlyMap<Mutable, Mutable>): void {
  for (const [target, before] of changed) {
    if (target instanceof Dict) target.replaceBy(before as Dict);
    else {
      target.length = 0;
      for (const item of before as Value[]) target.push(item);
    }
  }
}
