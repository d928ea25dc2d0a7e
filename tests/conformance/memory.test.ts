import { describe, test } from 'vitest';
import { memoryEngine } from '../../packages/fullstop/src/engines/memory/memory-engine.js';
import { engineConformance } from '../../packages/fullstop/src/testing/engine-conformance.js';
import { simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';

const cases = engineConformance.filter(({ needs }) => needs === undefined);

describe.each([
  ['normally', false],
  ['under alwaysReplay', true],
])('the memory engine %s', (_, alwaysReplay) => {
  for (const { name, run } of cases) {
    test(name, async () => {
      const clock = simulatedClock();
      const engine = memoryEngine({ clock });
      await run({ clock, alwaysReplay, open: async () => engine, openEmpty: async () => memoryEngine({ clock }) });
    });
  }
});
