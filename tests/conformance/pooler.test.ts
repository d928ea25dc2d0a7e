import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { onceStepCases } from '../../packages/fullstop/src/testing/conformance/once-steps.js';
import { stepCases } from '../../packages/fullstop/src/testing/conformance/steps.js';
import { waitCases } from '../../packages/fullstop/src/testing/conformance/waits.js';
import { workerCases } from '../../packages/fullstop/src/testing/conformance/workers.js';
import { type SimulatedClock, simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';
import { isPostgresMissing, testDatabase } from '../postgres/test-database.js';
import { type TransactionPooler, transactionPooler } from '../postgres/transaction-pooler.js';

const database = testDatabase();
const opened: Engine[] = [];
let pooler: TransactionPooler;
let schemas = 0;

/** A pooler that is there already, such as pgbouncer in transaction mode, for whoever wants to try it by hand. */
const named = process.env['PG_POOLER_URL'];

beforeAll(async () => {
  if (!isPostgresMissing && named === undefined) pooler = await transactionPooler(database.url, 5);
});

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

afterAll(() => pooler?.close());

function open(schema: string, clock: SimulatedClock): Engine {
  const url = named ?? pooler.url;
  const engine = postgresEngine({ url, schema, clock, pollMs: 100, connections: 4, sessions: false });
  opened.push(engine);
  return engine;
}

/** Cases that claim, append, crash, replay, park, wake, answer and conclude, each in transactions on connections that change. */
const cases = [...stepCases, ...onceStepCases, ...workerCases, ...waitCases];

// One schema per process that tries it: a pooler by hand has one database.
const prefix = named === undefined ? 'runs' : `runs_${process.pid}`;

describe.skipIf(isPostgresMissing)('the postgres engine behind a pooler of transactions', () => {
  for (const { name, run } of cases) {
    test(name, async () => {
      const clock = simulatedClock();
      schemas += 1;
      const own = `${prefix}_${schemas}`;
      await run({
        clock,
        alwaysReplay: false,
        crowd: 100,
        open: async () => open(own, clock),
        openEmpty: async () => {
          schemas += 1;
          return open(`${prefix}_${schemas}`, clock);
        },
      });
    });
  }

  test.skipIf(named !== undefined)('had its transactions on connections that change', () => {
    expect(pooler.switches()).toBeGreaterThan(cases.length);
  });
});
