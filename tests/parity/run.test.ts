import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { casesOf, type ParityCase } from './case.js';
import { type Actual, runCase } from './run-case.js';
import { runDifferences } from './run-differences.js';

/** We keep every run, so that nothing is written down about checkpoints. */
const withoutCounterpart: ReadonlySet<string> = new Set(['checkpoint_saved']);

const cases = casesOf('run');
const differing = new Set(runDifferences.map((difference) => difference.case));
const same = cases.filter(({ name }) => !differing.has(name));

const documentation = readFileSync(join(import.meta.dirname, '../../docs/conductor-compatibility.md'), 'utf8');

/** The parts that are compared: the contract, the events, and the place and kind of a failure. */
function comparable(actual: Actual): object {
  const { exit, outputText, terminal, history, events, unordered, prompts } = actual;
  return { exit, outputText, terminal, history, events, unordered, prompts };
}

function expected({ expect: wanted }: ParityCase): object {
  return {
    exit: wanted.exit === 0 ? 'zero' : 'not zero',
    outputText: wanted.output_text,
    terminal: wanted.terminal,
    history: wanted.history,
    events: wanted.events.filter((type) => !withoutCounterpart.has(type)),
    unordered: wanted.events_unordered ?? [],
    prompts: wanted.prompts ?? {},
  };
}

describe('recorded runs of the reference', () => {
  it.each(same)('$name', async (parity) => {
    const actual = await runCase(parity);
    expect(comparable(actual)).toEqual(expected(parity));
    if (parity.expect.error_contains !== null) expect(actual.message).toContain(parity.expect.error_contains);
  });
});

describe('deliberate differences', () => {
  it.each(runDifferences)('$case $does: $why', async ({ case: name, does, output, message }) => {
    const parity = cases.find((each) => each.name === name) as ParityCase;
    const actual = await runCase(parity);
    expect(comparable(actual)).not.toEqual(expected(parity));
    expect(actual.exit).toBe(does === 'improves' ? 'zero' : 'not zero');
    if (output !== undefined) expect(actual.outputText).toBe(output);
    if (message !== undefined) expect(actual.message).toContain(message);
  });

  it.each(runDifferences)('$case is in the documentation', ({ case: name }) => {
    expect(documentation).toContain(name);
  });

  it('are all there are', () => {
    expect(same.length + runDifferences.length).toBe(cases.length);
  });
});
