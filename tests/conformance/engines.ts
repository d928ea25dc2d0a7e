import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { memoryEngine } from '../../packages/fullstop/src/engines/memory/memory-engine.js';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';

// The suites can be asked for the other driver: FULLSTOP_TEST_DRIVER=node, on a Node that has node:sqlite.
const driver = process.env['FULLSTOP_TEST_DRIVER'] as 'libsql' | 'node' | undefined;

/** Every engine, each on a store of its own that is gone when the test is over. */
export const engines: readonly (readonly [name: string, open: () => Engine])[] = [
  ['memory', () => memoryEngine({ clock: simulatedClock() })],
  ['sqlite', openFile],
];

function openFile(): Engine {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-door-'));
  const engine = sqliteEngine(join(folder, 'runs.db'), {
    clock: simulatedClock(),
    leaseMs: 2e9,
    pollMs: 5,
    thread: false,
    ...(driver !== undefined && { driver }),
  });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  return engine;
}
