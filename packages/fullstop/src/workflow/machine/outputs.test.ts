import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  historyOf,
  lastName,
  namesOf,
  noOutputs,
  type Outputs,
  outputOf,
  StoredOutput,
  storeOutput,
  trimOutputs,
  withLatest,
} from './outputs.js';

/** The change that a step made to the outputs: it stored one, or had one trimmed. */
const change = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  text: fc.constantFrom('1', '"x"', '{"k": 1}'),
  type: fc.constantFrom('stored', 'cut', 'dropped'),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(outputs: Outputs, { name, text, type }: Change): Outputs {
  if (type === 'stored') return storeOutput(outputs, name, text);
  return trimOutputs(outputs, name, type === 'cut' ? text : undefined);
}

/** The same as a plain list would say. */
function expected(changes: readonly Change[]): { history: string[]; texts: Record<string, string | undefined> } {
  const texts: Record<string, string | undefined> = {};
  for (const { name, text, type } of changes) texts[name] = type === 'dropped' ? undefined : text;
  return { history: changes.flatMap(({ name, type }) => (type === 'stored' ? [name] : [])), texts };
}

function check(outputs: Outputs, changes: readonly Change[]): void {
  const { history, texts } = expected(changes);
  expect(historyOf(outputs)).toEqual(history);
  expect(outputs.stores).toBe(history.length);
  expect(lastName(outputs)).toBe(history.at(-1));
  for (const name of ['a', 'b', 'c']) expect(outputOf(outputs, name)?.text).toBe(texts[name]);
  expect([...namesOf(outputs)].sort()).toEqual(
    Object.keys(texts)
      .filter((name) => texts[name] !== undefined)
      .sort(),
  );
}

describe('the outputs of steps', () => {
  it('are what every state knew, also when an older state continues differently', () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 12 }),
        fc.array(change, { maxLength: 6 }),
        fc.nat(12),
        (one, other, at) => {
          const states = [noOutputs()];
          for (const each of one) states.push(changed(states.at(-1) as Outputs, each));
          const fork = Math.min(at, one.length);
          let branch = states[fork] as Outputs;
          for (const each of other) branch = changed(branch, each);
          check(branch, [...one.slice(0, fork), ...other]);
          for (const [index, state] of states.entries()) check(state, one.slice(0, index));
        },
      ),
    );
  });

  it('can be looked at with one more, which nobody else sees', () => {
    const before = storeOutput(noOutputs(), 'a', '1');
    const ahead = withLatest(before, new StoredOutput('a', '2'));
    expect([outputOf(ahead, 'a')?.text, historyOf(ahead), ahead.stores]).toEqual(['2', ['a', 'a'], 2]);
    expect([outputOf(before, 'a')?.text, historyOf(before)]).toEqual(['1', ['a']]);
  });
});
