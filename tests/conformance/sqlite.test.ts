import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, test } from 'vitest';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { engineConformance } from '../../packages/fullstop/src/testing/engine-conformance.js';
import { type SimulatedClock, simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';
import { buildEngine } from './build-engine.js';

// The suite can be asked for the other driver: FULLSTOP_TEST_DRIVER=node, on a Node that has node:sqlite.
const driver = process.env['FULLSTOP_TEST_DRIVER'] as 'libsql' | 'node' | undefined;

let folder = '';
let inThread: typeof sqliteEngine;
const opened: Engine[] = [];

beforeAll(async () => {
  inThread = await buildEngine();
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fullstop-conformance-'));
});

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  rmSync(folder, { recursive: true });
});

interface Opening {
  readonly clock: SimulatedClock;
  readonly thread: boolean;
}

function openFile(name: string, { clock, thread }: Opening): Engine {
  const open = thread ? inThread : sqliteEngine;
  const engine = open(join(folder, name), {
    clock,
    pollMs: 5,
    thread,
    ...(driver !== undefined && { driver }),
  });
  opened.push(engine);
  return engine;
}

describe.each([
  ['normally', false, false],
  ['under alwaysReplay', true, false],
  ['in a thread', false, true],
])('the sqlite engine %s', (_, alwaysReplay, thread) => {
  for (const { name, run } of engineConformance) {
    test(name, async () => {
      const clock = simulatedClock();
      let empty = 0;
      await run({
        clock,
        alwaysReplay,
        open: async () => openFile('runs.db', { clock, thread }),
        openEmpty: async () => {
          empty += 1;
          return openFile(`empty-${empty}.db`, { clock, thread });
        },
      });
    });
  }
});
