import { onTestFinished } from 'vitest';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';
import { isPostgresMissing, testDatabase } from '../postgres/test-database.js';
import { engineOpeners, type OpenedEngine } from './open-engine.js';

const database = testDatabase();
let schemas = 0;

function openSchema(): OpenedEngine {
  schemas += 1;
  const schema = `runs_${schemas}`;
  const engine = postgresEngine({ url: database.url, schema, clock: simulatedClock(), connections: 2 });
  return { engine, remove: () => engine.close() };
}

const openers: readonly (readonly [name: string, open: () => OpenedEngine])[] = [
  ...engineOpeners,
  ...(isPostgresMissing ? [] : [['postgres', openSchema] as const]),
];

/** Every engine, each on a store of its own that is gone when the test is over. */
export const engines: readonly (readonly [name: string, open: () => Engine])[] = openers.map(([name, open]) => [
  name,
  () => {
    const { engine, remove } = open();
    onTestFinished(remove);
    return engine;
  },
]);
