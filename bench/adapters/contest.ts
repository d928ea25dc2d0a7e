import { loadavg } from 'node:os';
import {
  consecutiveErrors,
  consecutiveMistakes,
  costBudget,
  loopDetection,
  maxIterations,
  maxToolCalls,
  noProgress,
  stallDetection,
  timeout,
  tokenBudget,
} from 'fullstop';
import { z } from 'zod';
import { median } from '../interleave.js';

/** One call with so many steps: as it is, with an ending, and with an ending and all conditions. */
export interface Contest {
  readonly name: string;
  /** How long it is measured; `usual` unless given. */
  readonly pace?: keyof typeof paces;
  bare(steps: number): Promise<unknown>;
  plain(steps: number): Promise<unknown>;
  ended(steps: number): Promise<unknown>;
  /** The call without an ending, but with what the framework itself asks a price for when somebody listens. */
  readonly heard?: { readonly label: string; call(steps: number): Promise<unknown> };
}

/** A framework that is slow gets fewer rounds; one with a process of its own, where a step is many milliseconds, fewer steps, too. */
const paces = {
  usual: { sizes: [50, 200], rounds: 9, warmUpSteps: 2_000 },
  slow: { sizes: [50, 200], rounds: 5, warmUpSteps: 500 },
  process: { sizes: [20], rounds: 5, warmUpSteps: 20 },
} as const;

let toolRuns = 0;

/** Told by the tool of every contest: a call whose tool did not run once for each step is no step's measure. */
export function countToolRun(): void {
  toolRuns += 1;
}

export const inputSchema = z.object({ n: z.number() });

const far = 1_000_000_000;

/** Every detector and budget that a foreign run may have, none of which fires. */
export const ours = {
  stopWhen: [
    loopDetection(),
    noProgress(),
    // The tokens of all steps differ.
    stallDetection({ tolerance: 0 }),
    consecutiveErrors(far),
    consecutiveMistakes(far),
    maxIterations(far),
    maxToolCalls(far),
    tokenBudget({ total: far }),
    costBudget({ usd: far }),
    timeout({ run: '5m', iteration: '1m' }),
  ],
  prices: {
    'bench/bench': { inputPerMillion: 1, outputPerMillion: 1 },
    'scripted/scripted': { inputPerMillion: 1, outputPerMillion: 1 },
    'claude-fake-1': { inputPerMillion: 1, outputPerMillion: 1 },
  },
};

/** An adapter may add this part of the framework's own cost, or this many microseconds per step, whichever is more. */
const allowed = { part: 0.05, microseconds: 20 };

/** The processor time of a call in microseconds per step: waiting for other processes is not the adapter's. */
async function timeOf(work: (steps: number) => Promise<unknown>, steps: number): Promise<number> {
  toolRuns = 0;
  const before = process.cpuUsage();
  const result = await work(steps);
  const { user, system } = process.cpuUsage(before);
  requireWhole(result, steps);
  return (user + system) / steps;
}

/** Both calls in turns, so that a slow phase of the machine hits both; their order changes with every round. */
async function timePairs(contest: Contest, work: Contest['bare'], steps: number): Promise<readonly [number, number][]> {
  const { rounds } = paces[contest.pace ?? 'usual'];
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? await timeOf(contest.bare, steps) : undefined;
    const with_ = await timeOf(work, steps);
    pairs.push([first ?? (await timeOf(contest.bare, steps)), with_]);
  }
  return pairs;
}

function worksOf({ plain, ended, heard }: Contest): Readonly<Record<string, Contest['bare']>> {
  return { 'no conditions': plain, 'all conditions': ended, ...(heard && { [heard.label]: heard.call }) };
}

/** Says what an ending adds to each step of a framework, in short and long runs. */
export async function holdContest(contest: Contest): Promise<void> {
  const { sizes, warmUpSteps } = paces[contest.pace ?? 'usual'];
  // Code that was not compiled yet is not what a run costs.
  for (let warm = 0; warm < warmUpSteps; warm += sizes[0])
    for (const work of [contest.bare, ...Object.values(worksOf(contest))]) await timeOf(work, sizes[0]);
  for (const steps of sizes)
    for (const [label, work] of Object.entries(worksOf(contest))) {
      const pairs = await timePairs(contest, work, steps);
      console.log(`${contest.name}, ${steps} steps, ${label}: ${verdictOf(pairs)}; load ${loadavg()[0]?.toFixed(0)}`);
    }
}

/** A run that was stopped on its way would be cheap. */
function requireWhole(result: unknown, steps: number): void {
  if (toolRuns !== steps) throw new Error(`The tool of the bench ran ${toolRuns} times in ${steps} steps.`);
  const { termination } = (result ?? {}) as { readonly termination?: { readonly kind: string } };
  if (termination !== undefined && termination.kind !== 'natural_end')
    throw new Error(`A run of the bench ended as ${termination.kind}.`);
}

/** The median of the differences between neighbours counts; beside it stands the difference between the best of both. */
function verdictOf(pairs: readonly (readonly [number, number])[]): string {
  const alone = median(pairs.map(([bare]) => bare));
  const added = median(pairs.map(([bare, with_]) => with_ - bare));
  const best = Math.min(...pairs.map(([, with_]) => with_)) - Math.min(...pairs.map(([bare]) => bare));
  const most = Math.max(allowed.microseconds, alone * allowed.part);
  const part = ((100 * added) / alone).toFixed(1);
  const shown = [alone, added, best, most].map((time) => time.toFixed(0));
  return `${shown[0]} us alone, ${shown[1]} us added (${part}%; best rounds ${shown[2]} us), ${added <= most ? 'within' : 'OVER'} ${shown[3]} us`;
}
