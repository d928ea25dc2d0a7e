import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { seededRandom, simulatedClock } from 'fullstop/testing';
import { backOfficeScenarios } from './store/back-office.js';
import { researchScenarios } from './store/research-agent.js';
import type { Scenario } from './store/scenario.js';
import { supportScenarios } from './store/support-agent.js';
import { workflowFiles, workflowScenarios } from './store/workflows.js';

export interface DashboardStoreOptions {
  /** Gets the workflow files, and the store where the command line looks for it. */
  readonly folder: string;
  readonly runs: number;
  readonly seed?: number;
  /** The time that the store ends at; now unless given. */
  readonly now?: number;
  /** How far back the first run lies; a week unless given. */
  readonly spanMs?: number;
}

export interface DashboardStore {
  readonly folder: string;
  readonly file: string;
  /** The runs of each scenario, oldest first. */
  readonly runIds: Readonly<Record<string, readonly string[]>>;
}

const scenarios: readonly Scenario[] = [
  ...supportScenarios,
  ...researchScenarios,
  ...backOfficeScenarios,
  ...workflowScenarios,
];

const week = 7 * 86_400_000;
/** What runs may still take after the last of them began. */
const margin = 10 * 60_000;

/**
 * Makes a store as an owner of several programs would have it: every run is a real run with a scripted model, on a clock that
 * no wall time moves. The same seed makes the same runs.
 */
export async function makeDashboardStore(options: DashboardStoreOptions): Promise<DashboardStore> {
  const { folder, runs, seed = 1, now = Date.now(), spanMs = week } = options;
  const file = join(folder, '.fullstop/runs.db');
  mkdirSync(join(folder, '.fullstop'), { recursive: true });
  for (const [name, text] of Object.entries(workflowFiles)) writeFileSync(join(folder, name), text);
  const random = seededRandom(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  const start = now - spanMs;
  const clock = simulatedClock(start);
  const engine = sqliteEngine(file, { clock });
  const runIds: Record<string, string[]> = {};
  try {
    for (const [index, scenario] of shuffled(runs, below).entries()) {
      const due = start + ((spanMs - margin) * (index + below(90) / 100)) / runs;
      await clock.advance(Math.max(0, Math.round(due - clock.now())));
      const runId = `r_${(2_176_782_336 + below(2_000_000_000)).toString(36).slice(-6)}`;
      await scenario.perform({ engine, clock, runId, folder, below });
      runIds[scenario.name] = [...(runIds[scenario.name] ?? []), runId];
    }
  } finally {
    await engine.close();
  }
  return { folder, file, runIds };
}

/** Every scenario at least once, the rest by weight, in no order. */
function shuffled(runs: number, below: (bound: number) => number): readonly Scenario[] {
  const lot = scenarios.flatMap((scenario) => Array.from({ length: scenario.weight }, () => scenario));
  const drawn = [...scenarios];
  while (drawn.length < runs) drawn.push(lot[below(lot.length)] as Scenario);
  for (let index = drawn.length - 1; index > 0; index -= 1) {
    const other = below(index + 1);
    [drawn[index], drawn[other]] = [drawn[other] as Scenario, drawn[index] as Scenario];
  }
  return drawn;
}
