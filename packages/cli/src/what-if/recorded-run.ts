import type { Envelope } from 'fullstop';
import { activeTimes, addUsd, type JournalEntry } from 'fullstop/journal';
import type { LoopObservation } from 'fullstop/machine';
import { type CycleObservation, cycleObservation } from '../journal/cycle-observation.js';
import { stepDone } from '../journal/workflow-observation.js';
import { loopObservation } from '../why/observation.js';
import type { ConvergenceObservation } from './cycle-limits.js';

/** A run as far as limits can be tried on it. */
export interface RecordedRun {
  readonly runId: string;
  readonly name: string;
  /** How it really ended; undefined while it runs. */
  readonly ending: Envelope | undefined;
  readonly observations: readonly LoopObservation[];
  /** The unit that counts as an iteration: iterations of an agent, the cycles of a convergence, or the steps of anything else. */
  readonly counts: 'iterations' | 'cycles' | 'steps';
}

/** Reads what was observed in a run: what its agent loop has recorded, or else what its entries say about steps, usage, cost and time. */
export function recordedRun(
  runId: string,
  name: string,
  entries: readonly JournalEntry[],
  ending: Envelope | undefined,
): RecordedRun {
  const own = entries.flatMap((entry) =>
    entry.type === 'observed' && entry.scope === '' ? (loopObservation(entry.data) ?? []) : [],
  );
  if (own.length > 0) return { runId, name, ending, observations: own, counts: 'iterations' };
  const cycles = fromCycles(entries);
  if (cycles.length > 0) return { runId, name, ending, observations: cycles, counts: 'cycles' };
  return { runId, name, ending, observations: fromEntries(entries), counts: 'steps' };
}

/** One observation for each merge of a convergence whose causes were weighed: not while people had to decide first. */
function fromCycles(entries: readonly JournalEntry[]): readonly ConvergenceObservation[] {
  const totals = new Totals(entries);
  return entries.flatMap((entry) => {
    totals.add(entry);
    const merge: CycleObservation | undefined = entry.scope === '' ? cycleObservation(entry) : undefined;
    if (merge === undefined || merge.waits) return [];
    totals.steps = merge.cycle;
    return [{ ...observation(totals), merge }];
  });
}

/** One observation after each step of the run, with the sums of everything in its entries. */
function fromEntries(entries: readonly JournalEntry[]): readonly LoopObservation[] {
  const totals = new Totals(entries);
  // A workflow says itself what it counts as a step; for others every step of theirs is one.
  const isWorkflow = entries.some(isStepDone);
  return entries.flatMap((entry) => {
    totals.add(entry);
    const isStep = isWorkflow ? isStepDone(entry) : entry.type === 'step_ended';
    if (!isStep) return [];
    totals.steps += 1;
    return [observation(totals)];
  });
}

function isStepDone(entry: JournalEntry): boolean {
  return entry.type === 'observed' && entry.scope === '' && stepDone(entry.data) !== undefined;
}

/** The sums of the entries up to some place. */
class Totals {
  inputTokens = 0;
  outputTokens = 0;
  costUsd = 0;
  isPriced = true;
  isEstimated = false;
  activeMs = 0;
  steps = 0;
  readonly #activeAt: (instant: number) => number;

  constructor(entries: readonly JournalEntry[]) {
    this.#activeAt = activeTimes(entries);
  }

  add(entry: JournalEntry): void {
    this.activeMs = Math.max(this.activeMs, this.#activeAt(entry.at));
    const charge = entry.type === 'step_ended' || entry.type === 'recorded' ? entry.data.charge : undefined;
    if (charge === undefined) return;
    this.inputTokens += charge.inputTokens ?? 0;
    this.outputTokens += charge.outputTokens ?? 0;
    this.costUsd = addUsd(this.costUsd, charge.costUsd ?? 0);
    if (charge.estimated === true) this.isEstimated = true;
    if (charge.costUsd === undefined) this.isPriced = false;
  }
}

function observation(totals: Totals): LoopObservation {
  const { inputTokens, outputTokens, costUsd, isPriced, isEstimated, activeMs, steps } = totals;
  return {
    point: 'after_iteration',
    iterations: steps,
    rounds: steps,
    toolCalls: 0,
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    costUsd: isPriced ? costUsd : null,
    ...(isEstimated && { estimated: true }),
    activeMs,
  };
}
