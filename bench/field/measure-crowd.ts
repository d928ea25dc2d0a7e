import { type FieldContender, missingOf, versionOf } from './contenders.js';
import { patienceMs, runProgram } from './measure-field.js';

/** Runs at once, the steps of each, and the short runs one after the other. */
export const crowdSize = { crowd: 1_000, calls: 10, shortRuns: 20_000 } as const;

interface CrowdFigures {
  /** Steps per second while all runs are under way. */
  readonly perSecond: number;
  /** Milliseconds from the start of all until one is done. */
  readonly p50: number;
  readonly p99: number;
  /** The memory that a finished run still holds. */
  readonly keptKb: number;
  /** By how much the resident set grows over three quarters of the short runs. */
  readonly grownKb: number;
}

export interface CrowdRow {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly cell: CrowdFigures | { readonly none: string };
}

/** Everything that one run of the crowd has found: `bench/results/crowd.json`. */
export interface CrowdResults {
  readonly date: string;
  readonly node: string;
  readonly load: number;
  readonly rows: readonly CrowdRow[];
}

/** Every contender with many runs at once, each in a fresh process. */
export async function measureCrowd(contenders: readonly FieldContender[]): Promise<readonly CrowdRow[]> {
  const rows: CrowdRow[] = [];
  for (const contender of contenders) {
    const { id, name } = contender;
    const version = versionOf(contender);
    const missing = missingOf(contender);
    const cell = missing === undefined ? await measureOne(contender) : { none: missing };
    rows.push({ id, name, ...(version !== undefined && { version }), cell });
  }
  return rows;
}

async function measureOne(contender: FieldContender): Promise<CrowdRow['cell']> {
  type Report = CrowdFigures | { readonly tooSlow: true };
  const report = await runProgram<Report>(contender, 'measure-crowd', crowdSize);
  if ('failed' in report) return { none: `failed: ${report.failed}` };
  return 'tooSlow' in report ? { none: `more than ${patienceMs / 1000} s` } : report;
}
