import { expect, it } from 'vitest';
import { type ConditionProbe, evaluateOutcome, readProbes } from './probes.js';
import { conditionRefusals } from './template-refusals.js';

interface Probes {
  readonly names: string;
  readonly probes: readonly ConditionProbe[];
}

const recorded = readProbes<Probes>('conditions');
const goldens = readProbes<Probes>('condition-goldens');

/** Python prints functions with their address, which says nothing. */
function isPrintable(text: string | undefined): boolean {
  return text !== undefined && !text.startsWith('<');
}

it.each(recorded.probes.filter(({ e }) => !conditionRefusals.has(e)))('evaluates $e as the reference does', (probe) => {
  const outcome = evaluateOutcome(probe.e, recorded.names);
  if (probe.err !== undefined) expect(outcome).toEqual({ err: probe.err, msg: probe.msg });
  else expect(outcome.ok).toBe(probe.ok);
  if (isPrintable(probe.r)) expect(outcome.r).toBe(probe.r);
});

const more = readProbes<Probes>('more-conditions');

it.each(more.probes)('evaluates $e as the reference does, found by random probes', ({ e, ...wanted }) => {
  expect(evaluateOutcome(e, more.names)).toEqual(wanted);
});

it('refuses exactly the listed conditions of those the reference evaluates', () => {
  const refused = recorded.probes.filter(
    ({ e, err }) => err === undefined && evaluateOutcome(e, recorded.names).err !== undefined,
  );
  expect(refused.map(({ e }) => e)).toEqual([...conditionRefusals.keys()]);
});

it(`returns the recorded value or a failure for ${goldens.probes.length} random conditions`, () => {
  const different = goldens.probes.filter(({ e, err, r }) => {
    const outcome = evaluateOutcome(e, goldens.names);
    return err === undefined ? outcome.r !== r : outcome.err === undefined;
  });
  expect(different).toEqual([]);
});
