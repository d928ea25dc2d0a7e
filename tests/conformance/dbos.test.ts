import { afterEach, describe, test } from 'vitest';
import { dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { engineConformance } from '../../packages/fullstop/src/testing/engine-conformance.js';
import { type SimulatedClock, simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';
import { isPostgresMissing, testDatabase } from '../postgres/test-database.js';

const database = testDatabase();
const opened: Engine[] = [];
let schemas = 0;

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

function openSchema(schema: string, clock: SimulatedClock): Engine {
  const engine = dbosEngine({ url: database.url, schema, clock, pollMs: 100, queuePollMs: 20, connections: 4 });
  opened.push(engine);
  return engine;
}

describe.skipIf(isPostgresMissing).each([
  ['normally', false],
  ['under alwaysReplay', true],
])('the engine on DBOS %s', (_, alwaysReplay) => {
  for (const { name, run } of engineConformance) {
    test(name, async () => {
      const clock = simulatedClock();
      schemas += 1;
      const own = `runs_${schemas}`;
      await run({
        clock,
        alwaysReplay,
        crowd: 100,
        open: async () => openSchema(own, clock),
        openEmpty: async () => {
          schemas += 1;
          return openSchema(`runs_${schemas}`, clock);
        },
      });
    });
  }
});
