import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contenders, streamContenders } from './contenders.js';
import { drawChart } from './draw-chart.js';
import { describeMeasured } from './machine.js';
import type { CrowdResults, CrowdRow } from './measure-crowd.js';
import type { FieldRow } from './measure-field.js';
import type { PrintedSuite } from './record-suite.js';
import { type FieldResults, ratioToOwn, type StepResults } from './results.js';
import { stepContenders } from './step-contenders.js';
import { readResults, resultNames, resultsFolder } from './stored-results.js';

const page = join(import.meta.dirname, '../../docs/benchmarks.md');
const marker = '<!-- From here on written by `npm run bench`. -->\n';

/** Writes the part of the page after the marker, from what was measured last, here or before. */
export function writePage(): void {
  const [written, ...rest] = readFileSync(page, 'utf8').split(marker);
  if (rest.length !== 1) throw new Error(`docs/benchmarks.md needs this line once: ${marker}`);
  const field = readResults<FieldResults>('field');
  const steps = readResults<StepResults>('steps');
  const crowd = readResults<CrowdResults>('crowd');
  const sections = [
    field && fieldSection(field),
    steps && stepSection(steps),
    crowd && crowdSection(crowd),
    field && notesSection(),
    field && endingSection(field),
    ownSection(),
  ];
  if (field !== undefined) {
    writeChart('growth', field.growth);
    writeChart('streams', field.streams);
  }
  const text = sections.filter((section) => section !== undefined).join('\n\n');
  writeFileSync(page, `${written}${marker}\n${text}\n`);
  console.log(text);
}

function writeChart(name: string, rows: readonly FieldRow[]): void {
  const lines = [...new Map(rows.map(({ id, name: title }) => [id, title]))].flatMap(([id, title]) => {
    const points = rows.flatMap((row) =>
      row.id === id && !('none' in row.cell) ? [{ x: row.size, y: row.cell.processor }] : [],
    );
    return points.length === 0 ? [] : [{ name: title, points }];
  });
  if (lines.length > 0)
    writeFileSync(join(resultsFolder, `${name}.svg`), drawChart('Microseconds of processor time per step', lines));
}

function fieldSection(results: FieldResults): string {
  const lukewarm = results.lukewarm.toLocaleString('en');
  const bySteps = (steps: number): string => `${steps.toLocaleString('en')} steps`;
  return `## Against other frameworks

Written by ${describeMeasured(results)}, fresh processes in turns (up to ${results.rounds} per cell), each turn beginning with another contender. Run it
yourself: \`npm run bench:install\`, then \`npm run bench -- field steps crowd\`; \`--quick\` measures less, \`--long\` also what would take longer than 20 seconds per cell.

A step is one call of a model and one call of a tool. Every contender gets the same scripted model and the same tool, and every run is checked: the tool ran as often as it was asked for, and the
answer is the model's. Figures are microseconds of processor time per step (median), so that other work on the machine counts less; in brackets the multiple of the row \`fullstop\` in the same column.
**Compare within a column of one run, never figures of two runs.** Elapsed time, best, worst and peak memory are in [field.json](../bench/results/field.json).

### Warm and cold

Runs of 200 steps in a process that has made so many steps before. A command, a test or a serverless function lives in the first columns, a server in the last.

${table(results.warmth, 'warmUp', (steps) => `after ${steps.toLocaleString('en')}`)}

### How time grows with the length of a run

After ${lukewarm} steps. A row that grows does more work per step the longer the run is.

${table(results.growth, 'size', bySteps)}

![Time per step by the length of the run](../bench/results/growth.svg)

The least and the most elapsed time of any run, and the most memory of any process, at the longest size of each:

${spreadTable(results.growth)}

### Streams

Text read as it comes, after ${lukewarm} steps.

${table(results.streams, 'size', bySteps)}

![Time per step of streams by the length of the run](../bench/results/streams.svg)`;
}

function stepSection(results: StepResults): string {
  return `### Steps of workflows

Steps one after the other, each of which counts (${describeMeasured(results)}). In brackets the multiple of the row \`fullstop, workflow from YAML\`.

${table(results.rows, 'size', (steps) => `${steps.toLocaleString('en')} steps`)}`;
}

function table(rows: readonly FieldRow[], column: 'size' | 'warmUp', head: (value: number) => string): string {
  const columns = [...new Set(rows.map((row) => row[column]))];
  const lines = namesOf(rows).map(([id, name]) => {
    const cells = columns.map((value) => {
      const row = rows.find((each) => each.id === id && each[column] === value);
      return row === undefined ? '' : shown(rows, row);
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  return [`| us per step | ${columns.map(head).join(' | ')} |`, `|---${'|---'.repeat(columns.length)}|`, ...lines].join(
    '\n',
  );
}

function namesOf(rows: readonly FieldRow[]): readonly (readonly [id: string, name: string])[] {
  return [...new Map(rows.map(({ id, name, version }) => [id, version === undefined ? name : `${name} (${version})`]))];
}

/** One line for each contender: the spread and the peak of its longest runs. */
function spreadTable(rows: readonly FieldRow[]): string {
  const lines = namesOf(rows).flatMap(([id, name]) => {
    const row = rows.findLast((each) => each.id === id && !('none' in each.cell));
    if (row === undefined || 'none' in row.cell) return [];
    const { best, worst, peakMb } = row.cell;
    const cells = [row.size.toLocaleString('en'), figure(best), figure(worst), peakMb.toFixed(0)];
    return [`| ${[name, ...cells].join(' | ')} |`];
  });
  return ['| contender | steps | least us | most us | peak MB |', '|---|---|---|---|---|', ...lines].join('\n');
}

function crowdSection(results: CrowdResults): string {
  const { crowd, calls, rows } = results;
  const bare = rows.find(({ id }) => id === 'bare')?.cell;
  const bareKb = bare === undefined || 'none' in bare ? undefined : bare.heldKb;
  return `### Many runs

${crowd.toLocaleString('en')} runs of ${calls} steps at once, the same once more with every run held in its first tool call, then short runs of one step one after the other, in one process each (${describeMeasured(results)}).
The memory is the resident set after a collection: what a run holds beyond the bare loop while all are under way, what a finished run of the crowd still holds, and by how much it grows over the last three
quarters of the short runs. The delay is that of the event loop.

| contender | steps per second | median run, ms | p99 run, ms | p99 delay, ms | KB held per run beyond bare | KB kept per run | short runs | KB grown |
|---|---|---|---|---|---|---|---|---|
${rows.map((row) => crowdLine(row, bareKb)).join('\n')}`;
}

function crowdLine({ name, version, cell }: CrowdRow, bareKb: number | undefined): string {
  const title = version === undefined ? name : `${name} (${version})`;
  if ('none' in cell) return `| ${title} | ${cell.none} | | | | | | | |`;
  const { perSecond, p50, p99, delayP99, heldKb, keptKb, inARow, grownKb } = cell;
  const times = [perSecond, p50, p99].map((each) => Math.round(each).toLocaleString('en'));
  const held = bareKb === undefined ? '' : (heldKb - bareKb).toFixed(1);
  const memory = [held, keptKb.toFixed(1), inARow.toLocaleString('en'), Math.round(grownKb).toLocaleString('en')];
  return `| ${[title, ...times, delayP99.toFixed(1), ...memory].join(' | ')} |`;
}

function shown(rows: readonly FieldRow[], row: FieldRow): string {
  if ('none' in row.cell) return row.cell.none;
  const ratio = ratioToOwn(rows, row);
  const time = figure(row.cell.processor);
  return ratio === undefined ? time : `${time} (${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}x)`;
}

function figure(microseconds: number): string {
  return microseconds < 100 ? microseconds.toFixed(1) : Math.round(microseconds).toLocaleString('en');
}

function notesSection(): string {
  const notes = [...contenders, ...streamContenders, ...stepContenders].flatMap(({ name, note }) =>
    note === undefined ? [] : [`- ${name}: ${note}`],
  );
  return `### What a row does more or less than the others

${notes.join('\n')}

Like for like: \`fullstop\` and the peers have one limit of steps each. With the eight detectors that only fullstop has it is the row \`fullstop, all detectors\`. Every row of fullstop keeps a journal of all
steps, from which the run can be resumed; of the peers none does without a store. Rows on a store are to be compared with rows on a store.`;
}

function endingSection({ endings }: FieldResults): string {
  return `### What each says at the end

Speed is easy to dispute. These are the situations of the [adapters' suite](adapters.md#the-table) that can happen in each framework, each way into one counted, with the words that it was seen to use. A situation is ambiguous when the
framework says there what it also says for another kind of ending: whoever reads it cannot know which one it was. Fullstop has one kind for each.

| framework | situations | kinds of endings | different words | ambiguous situations |
|---|---|---|---|---|
${endings.map(({ framework, situations, kinds, words, ambiguous }) => `| ${framework} | ${situations} | ${kinds} | ${words} | ${ambiguous} |`).join('\n')}`;
}

/** The suites of our own parts, as they printed their tables. */
function ownSection(): string | undefined {
  const suites = resultNames().flatMap((name) => {
    const results = readResults<Partial<PrintedSuite>>(name);
    return results?.lines === undefined ? [] : [results as PrintedSuite];
  });
  if (suites.length === 0) return undefined;
  const parts = suites.map(
    (suite) => `### ${suite.suite}\n\n${describeMeasured(suite)}.\n\n\`\`\`text\n${suite.lines.join('\n')}\n\`\`\``,
  );
  return `## Our own parts\n\n${parts.join('\n\n')}`;
}
