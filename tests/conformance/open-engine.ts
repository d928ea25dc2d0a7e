import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryEngine } from '../../packages/fullstop/src/engines/memory/memory-engine.js';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';

// The suites can be asked for the other driver: FULLSTOP_TEST_DRIVER=node, on a Node that has node:sqlite.
const driver = process.env['FULLSTOP_TEST_DRIVER'] as 'libsql' | 'node' | undefined;

/** An engine on a store of its own, which is gone once it is removed. */
export interface OpenedEngine {
  readonly engine: Engine;
  remove(): Promise<void>;
}

/** Every engine, by its name. */
export const engineOpeners: readonly (readonly [name: string, open: () => OpenedEngine])[] = [
  ['memory', openMemory],
  ['sqlite', openFile],
];

function openMemory(): OpenedEngine {
  const engine = memoryEngine({ clock: simulatedClock() });
  return { engine, remove: () => engine.close() };
}

function openFile(): OpenedEngine {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-door-'));
  const engine = sqliteEngine(join(folder, 'runs.db'), {
    clock: simulatedClock(),
    leaseMs: 2e9,
    pollMs: 5,
    thread: false,
    ...(driver !== undefined && { driver }),
  });
  return {
    engine,
    async remove() {
      await engine.close();
      rmSync(folder, { recursive: true });
    },
  };
}
