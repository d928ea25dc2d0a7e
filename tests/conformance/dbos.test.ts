import { afterEach, describe, test } from 'vitest';
import { dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { engineConformance } from '../../packages/fullstop/src/testing/engine-conformance.js';
import { simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';
import { isPostgresMissing, testDatabase } from '../postgres/test-database.js';

const database = testDatabase();
const opened: Engine[] = [];
let schemas = 0;

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

/** Runs a case, and returns whether it had a worker. */
async function hadWorker({ run }: (typeof engineConformance)[number], alwaysReplay: boolean): Promise<boolean> {
  const clock = simulatedClock();
  let isUsed = false;
  const open = (schema: string): Engine => {
    const options = { url: database.url, schema, clock, pollMs: 100, queuePollMs: 20, connections: 4 };
    const engine = dbosEngine(options);
    opened.push(engine);
    const worker: Engine['worker'] = (...given) => {
      isUsed = true;
      return engine.worker(...given);
    };
    return { ...engine, worker };
  };
  schemas += 1;
  const own = `runs_${schemas}`;
  await run({
    clock,
    alwaysReplay,
    crowd: 100,
    open: async () => open(own),
    openEmpty: async () => {
      schemas += 1;
      return open(`runs_${schemas}`);
    },
  });
  return isUsed;
}

describe.skipIf(isPostgresMissing)('the engine on DBOS', () => {
  for (const each of engineConformance)
    test(each.name, async () => {
      // Without a worker DBOS takes no part: then the engine on Postgres proves the rest, always replaying too.
      if (await hadWorker(each, false)) await hadWorker(each, true);
    });
});
