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
  /** How many runs there are before the last hour, which has its own. */
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
/** The last hour is not left to chance: pictures show it. */
const lastHour = 3_600_000;
const closing: readonly string[] = [
  'triage: paid back',
  'support: answered',
  'research: out of tokens',
  'release: waits for a person',
  'month-end: the agent reached its limit',
  'support: answered',
  'support: a refund waits for approval',
  'triage: refused by a terminate step',
  'books: a kind of its own',
  'support: circles',
  'newsletter: cancelled',
  'research: submitted',
  'support: the provider is down',
  'crawl: the limit',
  'support: answered',
];

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
    const instants = [
      ...busyInstants({ start, end: now - lastHour, count: runs, random }),
      ...closing.map((_, index) => now - lastHour + ((index + 0.5) * lastHour) / (closing.length + 2)),
    ].map(Math.round);
    const lastOnes = closing.map((name) => scenarios.find((scenario) => scenario.name === name) as Scenario);
    for (const [index, scenario] of [...shuffled(runs, below), ...lastOnes].entries()) {
      const due = instants[index] ?? start;
      await clock.advance(Math.max(0, due - clock.now()));
      const runId = `r_${(2_176_782_336 + below(2_000_000_000)).toString(36).slice(-6)}`;
      await scenario.perform({ engine, clock, runId, folder, below });
      runIds[scenario.name] = [...(runIds[scenario.name] ?? []), runId];
    }
  } finally {
    await engine.close();
  }
  return { folder, file, runIds };
}

/** Instants in order, most of them in the busy half of each day. */
function busyInstants(plan: {
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly random: () => number;
}): readonly number[] {
  const { start, end, count, random } = plan;
  const instants: number[] = [];
  while (instants.length < count) {
    const instant = start + random() * (end - start);
    const hour = (instant / 3_600_000) % 24;
    const load = 0.15 + 0.85 * Math.max(0, Math.sin(((hour - 6) / 14) * Math.PI));
    if (random() < load) instants.push(instant);
  }
  return instants.sort((one, other) => one - other);
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
