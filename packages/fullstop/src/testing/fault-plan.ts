import type { EntryDraft, EntryType } from '../engines/port/journal-entry.js';
import { seededRandom } from './seeded-random.js';

/** Where a fault can strike: calls of an engine, and calls of a session. */
export type FaultPoint =
  | 'answer'
  | 'append'
  | 'cancel'
  | 'claim'
  | 'conclude'
  | 'ending'
  | 'flush'
  | 'journal'
  | 'park'
  | 'reopen'
  | 'start';

/**
 * The fault that happens there:
 * `fail` refuses the call, `fail_after` carries it out and reports a failure all the same, `delay` takes its time,
 * `crash` drops the session without a word, `crash_after` does so when the call was carried out, and `fence` hands the
 * run to whoever claims it next.
 */
export type FaultEffect = 'crash' | 'crash_after' | 'delay' | 'fail' | 'fail_after' | 'fence';

/** One planned failure of a faulty engine: where, when and how. */
export interface Fault {
  readonly point: FaultPoint;
  readonly effect: FaultEffect;
  /** The how manieth of the calls that match; 1 unless given. */
  readonly nth?: number;
  /** Only for calls that carry an entry of this type: append, and conclude with `segment_ended`. */
  readonly entry?: EntryType;
  /** Only for calls by the owner of this run. */
  readonly runId?: string;
  /** For `delay`; 10 unless given. */
  readonly delayMs?: number;
  /** The error that a failing call throws. */
  readonly error?: Error;
}

/** Counts calls and says which of them a fault strikes. */
export class FaultPlan {
  /** The faults that have struck, in order. */
  readonly struck: Fault[] = [];
  readonly #left: { readonly fault: Fault; calls: number }[];

  constructor(faults: readonly Fault[]) {
    this.#left = faults.map((fault) => ({ fault, calls: 0 }));
  }

  /** The fault for this call, if there is one; each strikes once. */
  next(point: FaultPoint, draft?: EntryDraft, runId?: string): Fault | undefined {
    let found: Fault | undefined;
    for (const counted of [...this.#left]) {
      const { fault } = counted;
      if (fault.point !== point || (fault.entry !== undefined && fault.entry !== draft?.type)) continue;
      if (fault.runId !== undefined && fault.runId !== runId) continue;
      counted.calls += 1;
      if (found !== undefined || counted.calls < (fault.nth ?? 1)) continue;
      found = fault;
      this.#left.splice(this.#left.indexOf(counted), 1);
      this.struck.push(fault);
    }
    return found;
  }
}

/** Options of `randomFaults`: how many, where, and which. */
export interface RandomPlanOptions {
  /** How many faults; 1 unless given. */
  readonly count?: number;
  /** The last call that a fault may strike; 20 unless given. */
  readonly within?: number;
  readonly points?: readonly FaultPoint[];
  readonly effects?: readonly FaultEffect[];
}

/** Faults that are the same for the same seed. */
export function randomFaults(seed: number, options: RandomPlanOptions = {}): readonly Fault[] {
  const {
    count = 1,
    within = 20,
    points = ['append', 'conclude', 'flush'],
    effects = ['crash', 'crash_after'],
  } = options;
  const random = seededRandom(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  return Array.from({ length: count }, () => {
    const point = pick(points);
    const nth = point === 'conclude' || point === 'park' ? 1 : 1 + Math.floor(random() * within);
    return { point, effect: pick(effects), nth, delayMs: 1 + Math.floor(random() * 50) };
  });
}
