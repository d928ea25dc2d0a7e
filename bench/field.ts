import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { adapterColumns } from '../tests/adapters/columns.js';
import { contenders, type FieldContender, streamContenders } from './field/contenders.js';
import { drawChart } from './field/draw-chart.js';
import { scoreEndings } from './field/endings.js';
import { type CrowdResults, measureCrowd } from './field/measure-crowd.js';
import { type Circumstances, type FieldRow, measureField } from './field/measure-field.js';
import { type FieldResults, findWorse } from './field/results.js';
import { withResults } from './field/write-page.js';

const folder = join(import.meta.dirname, 'results');
const file = join(folder, 'field.json');
const crowdFile = join(folder, 'crowd.json');
const page = join(import.meta.dirname, '../docs/benchmarks.md');
/** For a look at a busy machine: one process per cell, and the first half of the circumstances. */
const isQuick = process.env['FIELD_QUICK'] === '1';
const rounds = isQuick ? 1 : 3;
const warmUps = isQuick ? [0, 10] : [0, 10, 1_000, 40_000];
const lukewarm = isQuick ? 200 : 1_600;
const sizes = isQuick ? [50, 200] : [50, 200, 800, 3_200];
/** A ratio may be this many times worse than the committed one before `bench:check` says so: two runs on a busy machine differ by as much. */
const tolerance = 1.5;

/** The field: every contender warm and cold, by the length of the run, and streaming; written to `bench/results` and `docs/benchmarks.md`. */
export async function benchField(): Promise<void> {
  const results = await measureAll();
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(
    join(folder, 'growth.svg'),
    drawChart('Microseconds of processor time per step', linesOf(results.growth)),
  );
  showPage();
}

/** Many runs at once and one after the other, written to `bench/results` and `docs/benchmarks.md`. */
export async function benchCrowd(): Promise<void> {
  const load = loadavg()[0] ?? 0;
  const date = new Date().toISOString();
  const results: CrowdResults = { date, node: process.versions.node, load, rows: await measureCrowd(contenders) };
  mkdirSync(folder, { recursive: true });
  writeFileSync(crowdFile, `${JSON.stringify(results, undefined, 2)}\n`);
  showPage();
}

/** Writes the part of the page from what was measured last, here or before. */
function showPage(): void {
  const read = <TResults>(path: string): TResults | undefined =>
    existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as TResults) : undefined;
  const field = read<FieldResults>(file);
  if (field === undefined) return;
  const document = withResults(readFileSync(page, 'utf8'), field, read<CrowdResults>(crowdFile));
  writeFileSync(page, document);
  console.log(document.slice(document.indexOf('<!--')));
}

/** Measures again and compares the ratios with the committed ones; exits with 1 if one got worse. */
export async function checkField(): Promise<void> {
  if (!existsSync(file)) throw new Error('There is nothing to compare with: bench/results/field.json is missing.');
  const committed = JSON.parse(readFileSync(file, 'utf8')) as FieldResults;
  const worse = findWorse(committed, await measureAll(), tolerance);
  for (const { row, committed: before, now } of worse)
    console.log(`  ${row}: ${now.toFixed(1)}x the time of fullstop, ${before.toFixed(1)}x in the committed results`);
  console.log(worse.length === 0 ? '  no ratio is worse than the committed one' : `  ${worse.length} ratios are worse`);
  if (worse.length > 0) process.exitCode = 1;
}

async function measureAll(): Promise<FieldResults> {
  const before = loadavg()[0] ?? 0;
  const date = new Date().toISOString();
  const warmth = await measureEach(
    contenders,
    warmUps.map((warmUp) => ({ size: 200, warmUp })),
  );
  const bySize = sizes.map((size) => ({ size, warmUp: lukewarm }));
  const growth = await measureEach(contenders, bySize);
  const streams = await measureEach(streamContenders, bySize);
  return {
    date,
    command: `${isQuick ? 'FIELD_QUICK=1 ' : ''}npm run bench -- field`,
    lukewarm,
    node: process.versions.node,
    machine: cpus()[0]?.model ?? 'unknown',
    load: [before, loadavg()[0] ?? 0],
    processors: cpus().length,
    rounds,
    warmth,
    growth,
    streams,
    endings: adapterColumns.map(scoreEndings),
  };
}

async function measureEach(
  field: readonly FieldContender[],
  circumstances: readonly Circumstances[],
): Promise<readonly FieldRow[]> {
  const rows: FieldRow[] = [];
  for (const each of circumstances) {
    console.log(`  ${each.size} steps after ${each.warmUp}`);
    rows.push(...(await measureField(field, each, rounds)));
  }
  return rows;
}

function linesOf(rows: readonly FieldRow[]) {
  return [...new Map(rows.map(({ id, name }) => [id, name]))].flatMap(([id, name]) => {
    const points = rows.flatMap((row) =>
      row.id === id && !('none' in row.cell) ? [{ x: row.size, y: row.cell.processor }] : [],
    );
    return points.length === 0 ? [] : [{ name, points }];
  });
}
