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
  /** True for a framework so slow that it gets fewer rounds. */
  readonly slow?: boolean;
  bare(steps: number): Promise<unknown>;
  plain(steps: number): Promise<unknown>;
  ended(steps: number): Promise<unknown>;
  /** The same with a listener that does nothing, where the framework itself asks a price for listening. */
  heard?(steps: number): Promise<unknown>;
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
  },
};

/** An adapter may add this part of the framework's own cost, or this many microseconds per step, whichever is more. */
const allowed = { part: 0.05, microseconds: 20 };
/** Steps of every kind of call before anything is measured: code that was not compiled yet is not what a run costs. */
const warmUpSteps = 2_000;

/** The processor time of a call in microseconds per step: waiting for other processes is not the adapter's. */
async function timeOf(work: (steps: number) => Promise<unknown>, steps: number): Promise<number> {
  const before = process.cpuUsage();
  await work(steps);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / steps;
}

/** Both calls in turns, so that a slow phase of the machine hits both; their order changes with every round. */
async function timePairs(contest: Contest, work: Contest['bare'], steps: number): Promise<readonly [number, number][]> {
  const rounds = contest.slow === true ? 5 : 9;
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? await timeOf(contest.bare, steps) : undefined;
    const with_ = await timeOf(work, steps);
    pairs.push([first ?? (await timeOf(contest.bare, steps)), with_]);
  }
  return pairs;
}

function worksOf({ plain, ended, heard }: Contest): Readonly<Record<string, Contest['bare']>> {
  return { 'no conditions': plain, 'all conditions': ended, ...(heard && { 'a deaf listener': heard }) };
}

const sizes = [50, 200] as const;

/** Says what an ending adds to each step of a framework, in short and long runs. */
export async function holdContest(contest: Contest): Promise<void> {
  const warmUps = (contest.slow === true ? warmUpSteps / 4 : warmUpSteps) / sizes[0];
  for (let round = 0; round < warmUps; round += 1)
    for (const work of [contest.bare, ...Object.values(worksOf(contest))]) requireWhole(await work(sizes[0]));
  for (const steps of sizes)
    for (const [label, work] of Object.entries(worksOf(contest))) {
      const pairs = await timePairs(contest, work, steps);
      console.log(`${contest.name}, ${steps} steps, ${label}: ${verdictOf(pairs)}; load ${loadavg()[0]?.toFixed(0)}`);
    }
}

/** A run that was stopped on its way would be cheap. */
function requireWhole(result: unknown): void {
  const { termination } = result as { readonly termination?: { readonly kind: string } };
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
