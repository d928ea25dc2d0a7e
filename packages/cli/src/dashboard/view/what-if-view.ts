import type { LoopObservation } from 'fullstop/machine';
import { describeEnding } from '../../journal/describe-ending.js';
import { limitText, trialText } from '../../render/what-if-text.js';
import { makeStyle } from '../../terminal/style.js';
import { conditionOf, type LimitName, limitOptions } from '../../what-if/limit-options.js';
import { type RecordedRun, recordedRun } from '../../what-if/recorded-run.js';
import { savings } from '../../what-if/totals-text.js';
import { type Trial, tryLimits } from '../../what-if/try-limits.js';
import type { RunRecord } from '../../why/explain-run.js';

/** The sliders of a run: every value of every limit has its ending beside it, so that moving one asks nobody. */
export interface WhatIfView {
  readonly counts: RecordedRun['counts'];
  readonly limits: readonly WhatIfLimit[];
}

export interface WhatIfLimit {
  readonly name: LimitName;
  readonly about: string;
  readonly points: readonly WhatIfPoint[];
}

export interface WhatIfPoint {
  readonly value: number;
  /** The value in words: `$0.20`, `3 min 20 s`. */
  readonly text: string;
  readonly status: Trial['status'];
  /** Which observation it would have ended at; of several limits together, the first one ends the run. */
  readonly index?: number;
  readonly kind?: string;
  readonly ending?: string;
  /** One sentence about what would have happened. */
  readonly sentence: string;
  readonly saved?: string;
  readonly loses?: boolean;
}

/** The page has its own colours. */
const plain = makeStyle(false);

const mostPoints = 40;
/** The longer a run, the fewer values are tried: each is a fold over everything observed. */
const mostFolds = 2_000_000;

/** Tries every limit that a run could have had. */
export function whatIfView({ summary, journal, ending }: RunRecord): WhatIfView {
  const run = recordedRun(summary.runId, summary.name, journal, ending);
  const last = run.observations.at(-1);
  if (last === undefined) return { counts: run.counts, limits: [] };
  const names = Object.keys(limitOptions) as LimitName[];
  const count = Math.max(5, Math.min(mostPoints, Math.floor(mostFolds / run.observations.length / names.length)));
  const limits = names.flatMap((name) => {
    const values = valuesOf(name, run, { last, count });
    return values.length === 0
      ? []
      : [{ name, about: limitOptions[name].about, points: values.map((value) => pointOf(run, name, value)) }];
  });
  return { counts: run.counts, limits };
}

function pointOf(run: RecordedRun, name: LimitName, value: number): WhatIfPoint {
  const trial = tryLimits(run, [conditionOf(name, value)]);
  const shared = { value, text: limitText(name, value), status: trial.status, sentence: trialText(trial, plain) };
  if (trial.status !== 'cut') return shared;
  const { termination, at, saved, loses } = trial;
  return {
    ...shared,
    index: run.observations.indexOf(at),
    kind: termination.kind,
    ending: describeEnding(termination as Parameters<typeof describeEnding>[0]),
    saved: savings(saved),
    loses,
  };
}

interface Range {
  readonly last: LoopObservation;
  readonly count: number;
}

/** The values of a slider: up to a little beyond what was used, so that its end is no limit at all. */
function valuesOf(name: LimitName, { counts }: RecordedRun, { last, count }: Range): readonly number[] {
  const { merge } = last as { readonly merge?: { readonly facts: number } };
  const hasCycles = counts === 'cycles';
  const whole = (used: number, more = 1): readonly number[] =>
    used === 0 ? [] : spread(Math.ceil(used + more), count).map(Math.ceil);
  const tenth = (used: number): readonly number[] => whole(used, used / 10);
  switch (name) {
    case 'max-iterations':
      return whole(hasCycles ? 0 : last.iterations);
    case 'max-cycles':
      return whole(hasCycles ? last.iterations : 0);
    case 'max-facts':
      return whole(merge?.facts ?? 0);
    case 'max-tool-calls':
      return whole(last.toolCalls);
    case 'tokens':
      return tenth(last.usage.totalTokens);
    case 'cost':
      return amounts(last.costUsd ?? 0, count);
    case 'timeout':
      return tenth(last.activeMs);
    case 'loop-repeats':
    case 'stall':
    case 'no-progress':
    case 'consecutive-errors':
    case 'consecutive-mistakes':
      return counts === 'iterations' ? [2, 3, 4, 5, 6, 8, 10] : [];
    case 'stop-on-tool':
      return [];
    default:
      return name satisfies never;
  }
}

function amounts(costUsd: number, count: number): readonly number[] {
  return costUsd === 0 ? [] : spread(costUsd * 1.1, count).map((value) => Number(value.toPrecision(3)));
}

/** Values from a first step up to the most, evenly, each once. */
function spread(most: number, count: number): readonly number[] {
  const steps = most <= count && Number.isInteger(most) ? most : count;
  return [...new Set(Array.from({ length: steps }, (_, index) => (most * (index + 1)) / steps))];
}
