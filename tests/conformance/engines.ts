import { onTestFinished } from 'vitest';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { engineOpeners } from './open-engine.js';

/** Every engine, each on a store of its own that is gone when the test is over. */
export const engines: readonly (readonly [name: string, open: () => Engine])[] = engineOpeners.map(([name, open]) => [
  name,
  () => {
    const { engine, remove } = open();
    onTestFinished(remove);
    return engine;
  },
]);
