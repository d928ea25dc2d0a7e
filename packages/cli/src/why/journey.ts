import { parseCallKey, parseCountedKey, parseStepKey, parseSuggestorKey } from 'fullstop/journal';
import { type UnitNode, workflowObservations } from '../journal/unit-tree.js';
import { endedStep } from '../journal/workflow-observation.js';

const mostNamed = 12;
const longestCycle = 4;

/** The units and steps of a run in order. Repetitions are counted, and a long list is cut in the middle. */
export function journey(root: UnitNode): readonly string[] {
  const recorded = stepsOfWorkflow(root);
  const words = collapsed(recorded.length > 0 ? recorded : namesOf(root));
  if (words.length <= mostNamed) return words;
  const half = mostNamed / 2;
  return [...words.slice(0, half), `… ${words.length - mostNamed} more …`, ...words.slice(-half)];
}

/** The steps of a workflow, which it records itself. */
function stepsOfWorkflow(unit: UnitNode): readonly string[] {
  return workflowObservations(unit).flatMap(({ data }) => endedStep(data) ?? []);
}

function namesOf({ children, steps, merges }: UnitNode): readonly string[] {
  const places = [
    ...children.map(({ name, seq }) => ({ name, seq })),
    // Steps of a convergence are named after cycle and suggestor.
    ...steps.map(({ key, seq }) => ({
      name: stepName(merges.length === 0 ? key : (parseSuggestorKey(key)?.suggestor ?? key)),
      seq,
    })),
  ];
  return places.sort((left, right) => left.seq - right.seq).map(({ name }) => name);
}

/** Agents number their steps: `model:3` is a model call, and `tool:3.1:search` a call of search. */
export function stepName(key: string): string {
  return parseCallKey(key)?.tool ?? parseCountedKey(key)?.word ?? parseStepKey(key)?.unit ?? key;
}

/** `a, b, a, b, c` becomes `(a → b) ×2, c`: what is repeated is said once. */
function collapsed(names: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let index = 0; index < names.length; ) {
    const { length, count } = repetition(names, index);
    const cycle = names.slice(index, index + length);
    const text = cycle.length === 1 ? (cycle[0] ?? '') : `(${cycle.join(' → ')})`;
    words.push(count === 1 ? (names[index] ?? '') : `${text} ×${count}`);
    index += count === 1 ? 1 : length * count;
  }
  return words;
}

/** The shortest cycle that begins here and is repeated, and how often. */
function repetition(names: readonly string[], from: number): { readonly length: number; readonly count: number } {
  for (let length = 1; length <= longestCycle; length += 1) {
    let count = 1;
    while (isRepeated(names, from, length, count)) count += 1;
    if (count > 1) return { length, count };
  }
  return { length: 1, count: 1 };
}

function isRepeated(names: readonly string[], from: number, length: number, count: number): boolean {
  const next = from + length * count;
  if (next + length > names.length) return false;
  return names.slice(from, from + length).every((name, index) => name === names[next + index]);
}
