import { describe, expect, it } from 'vitest';
import type { MachineObservation } from '../../run/machine/machine.js';
import type { Ending } from '../../termination/ending.js';
import { foreignMachine } from './foreign-machine.js';

const naturalEnd = { slot: 'goal', point: 'end', termination: { kind: 'natural_end' } as Ending };

/** The output of a run that answered with a text and then settled with this. */
function outputAfter(settled: object): unknown {
  const machine = foreignMachine({ conditions: [], custom: () => [] });
  const step = { calls: [], messages: [], text: '{"raw":1}', finish: 'stop', charge: {} };
  const events = [
    { type: 'step', step, causes: [] },
    { type: 'settled', causes: [naturalEnd], ...settled },
  ];
  const apply = (state: ReturnType<typeof machine.init>, value: object) =>
    machine.apply(state, { type: 'value', key: 'turn', at: 1, value } as unknown as MachineObservation);
  const decision = machine.decide(events.reduce(apply, machine.init({ at: 0 })));
  return decision.type === 'end' ? decision.output : 'no end';
}

describe('the output of a run of another framework', () => {
  it.each([null, 0, false, ''])('is that of the framework, also where it is %j', (output) => {
    expect(outputAfter({ output })).toBe(output);
  });

  it('is the text of its latest answer where the framework has none', () => {
    expect(outputAfter({})).toBe('{"raw":1}');
  });
});
