import { type FieldContender, missingOf, versionOf } from './contenders.js';
import type { Measured } from './machine.js';
import { patienceMs, runProgram } from './measure-field.js';
import { scale } from './scale.js';

interface CrowdFigures {
  /** Steps per second while all runs are under way. */
  readonly perSecond: number;
  /** Milliseconds from the start of all until one is done. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds by which the event loop was late, at the 99th percentile, while all runs are under way. */
  readonly delayP99: number;
  /** The memory per run while all are in their first tool call, and what a finished run still holds. */
  readonly heldKb: number;
  readonly keptKb: number;
  /** Short runs that were made, and by how much the resident set grows over three quarters of them. */
  readonly inARow: number;
  readonly grownKb: number;
}

export interface CrowdRow {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly cell: CrowdFigures | { readonly none: string };
}

/** Everything that one run of the crowd has found: `bench/results/crowd.json`. */
export interface CrowdResults extends Measured {
  readonly crowd: number;
  readonly calls: number;
  readonly rows: readonly CrowdRow[];
}

/** Every contender with many runs at once, each in a fresh process. */
export async function measureCrowd(contenders: readonly FieldContender[]): Promise<readonly CrowdRow[]> {
  const rows: CrowdRow[] = [];
  for (const contender of contenders) {
    const { id, name } = contender;
    console.log(`  ${name}`);
    const version = versionOf(contender);
    const missing = missingOf(contender);
    const cell = missing === undefined ? await measureOne(contender) : { none: missing };
    rows.push({ id, name, ...(version !== undefined && { version }), cell });
  }
  return rows;
}

async function measureOne(contender: FieldContender): Promise<CrowdRow['cell']> {
  type Report = CrowdFigures | { readonly tooSlow: true } | { readonly leftOut: number };
  const sizes = { ...scale.crowd, longestMs: 2 * scale.longestCellMs };
  const report = await runProgram<Report>(contender, 'measure-crowd', sizes);
  if ('failed' in report) return { none: `failed: ${report.failed}` };
  if ('leftOut' in report) return { none: `about ${Math.round(report.leftOut)} s; with --long` };
  return 'tooSlow' in report ? { none: `more than ${patienceMs / 1000} s` } : report;
}
