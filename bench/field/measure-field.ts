import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from '../interleave.js';
import { type FieldContender, missingOf, versionOf, writeLoader } from './contenders.js';
import { scale } from './scale.js';

const programs = join(import.meta.dirname, '../contenders/programs');
/** A process that has not finished by then reports what it has, or that it was too slow for its warm-up. */
export const patienceMs: number = Math.max(60_000, scale.longestCellMs);

/** One row of circumstances: the size of the runs, and the steps that were made before. */
export interface Circumstances {
  readonly size: number;
  readonly warmUp: number;
}

/** The report of a process, in microseconds per step. */
type Report =
  | {
      readonly importMs: number;
      readonly peakMb: number;
      readonly timed: readonly { readonly wall: number; readonly processor: number }[];
    }
  | { readonly tooSlow: true }
  /** Not measured, because it would take about so many seconds. */
  | { readonly leftOut: number }
  | { readonly failed: string };

/** A cell of the table: figures in microseconds per step, or why there are none. */
export type FieldCell =
  | {
      readonly wall: number;
      readonly best: number;
      readonly worst: number;
      readonly processor: number;
      readonly peakMb: number;
      readonly importMs: number;
    }
  | { readonly none: string };

export interface FieldRow extends Circumstances {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly cell: FieldCell;
}

/** Microseconds of elapsed time per step, as each contender was last seen to need. */
const paces = new Map<string, number>();
/** A cell that took longer than this has one process. */
const quickCellMs = 4_000;

/** Every contender under the same circumstances, in fresh processes in turns; each turn begins with another one. */
export async function measureField(
  contenders: readonly FieldContender[],
  circumstances: Circumstances,
): Promise<readonly FieldRow[]> {
  const { size, warmUp } = circumstances;
  const reports = contenders.map((): Report[] => []);
  const spent = contenders.map(() => 0);
  for (let round = 0; round < scale.rounds; round += 1) {
    for (const offset of contenders.keys()) {
      const index = (offset + round) % contenders.length;
      const contender = contenders[index];
      if (contender === undefined || missingOf(contender) !== undefined) continue;
      if (isHopeless(reports[index]) || (spent[index] ?? 0) > quickCellMs) continue;
      const begun = performance.now();
      reports[index]?.push(await measureOnce(contender, circumstances));
      spent[index] = performance.now() - begun;
    }
  }
  return contenders.map((contender, index) => {
    const { id, name } = contender;
    const version = versionOf(contender);
    const cell = cellOf(reports[index] ?? [], missingOf(contender));
    if (!('none' in cell)) paces.set(id, cell.wall);
    return { id, name, size, warmUp, ...(version !== undefined && { version }), cell };
  });
}

/** One that failed or was too slow once will be so again. */
function isHopeless(reports: readonly Report[] | undefined): boolean {
  return reports?.some((report) => !('timed' in report)) === true;
}

function measureOnce(contender: FieldContender, { size, warmUp }: Circumstances): Promise<Report> {
  // Without a warm-up the first run alone is what is asked for.
  const runs = warmUp === 0 ? 1 : Math.max(2, Math.min(9, Math.ceil(1000 / size)));
  const seconds = ((paces.get(contender.id) ?? 0) * (warmUp + runs * size)) / 1e6;
  if (seconds * 1000 > scale.longestCellMs) return Promise.resolve({ leftOut: seconds });
  return runProgram<Report>(contender, 'measure', { size, warmUp, runs });
}

/** Runs a measuring program with a contender in a process of its own, and returns what it reports. */
export async function runProgram<TReport>(
  contender: FieldContender,
  measuring: 'measure' | 'measure-crowd',
  more: object,
): Promise<TReport | { readonly failed: string }> {
  const { node, program, variant } = contender;
  const loader = writeLoader(contender);
  const options = { program: join(programs, `${program}.js`), variant, loader, patienceMs, ...more };
  const argv = ['--expose-gc', join(programs, `${measuring}.js`), JSON.stringify(options)];
  try {
    const { stdout } = await promisify(execFile)(node, argv, { timeout: 3 * patienceMs });
    // A framework may print something before.
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as TReport;
  } catch (error) {
    return { failed: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
}

/** Medians over the runs of all processes; the memory is the most that any of them had. */
export function cellOf(reports: readonly Report[], missing: string | undefined): FieldCell {
  if (missing !== undefined) return { none: missing };
  const figures: Extract<Report, { timed: unknown }>[] = [];
  for (const report of reports) {
    if ('failed' in report) return { none: `failed: ${report.failed}` };
    if ('leftOut' in report) return { none: `about ${Math.round(report.leftOut)} s; with --long` };
    if ('tooSlow' in report) return { none: `more than ${patienceMs / 1000} s for the warm-up` };
    figures.push(report);
  }
  const timed = figures.flatMap((report) => report.timed);
  if (timed.length === 0) return { none: 'nothing was measured' };
  const walls = timed.map(({ wall }) => wall);
  return {
    wall: median(walls),
    best: Math.min(...walls),
    worst: Math.max(...walls),
    processor: median(timed.map(({ processor }) => processor)),
    peakMb: Math.max(...figures.map(({ peakMb }) => peakMb)),
    importMs: median(figures.map(({ importMs }) => importMs)),
  };
}
