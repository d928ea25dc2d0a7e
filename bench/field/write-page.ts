import { contenders, streamContenders } from './contenders.js';
import { type CrowdResults, type CrowdRow, crowdSize } from './measure-crowd.js';
import type { FieldRow } from './measure-field.js';
import { type FieldResults, ratioToOwn } from './results.js';

const marker = '<!-- From here on written by `npm run bench -- field crowd`. -->\n';

/** The document with the part after the marker brought up to date. */
export function withResults(document: string, results: FieldResults, crowd: CrowdResults | undefined): string {
  const [written, ...rest] = document.split(marker);
  if (rest.length !== 1) throw new Error(`The document needs this line once: ${marker}`);
  return `${written}${marker}\n${writeResults(results, crowd)}`;
}

function writeResults(results: FieldResults, crowd: CrowdResults | undefined): string {
  const { date, command, node, machine, load, processors, rounds } = results;
  const lukewarm = results.lukewarm.toLocaleString('en');
  const [before, after] = load.map((each) => each.toFixed(1));
  return `## Against other frameworks

Written by \`${command}\` on ${date.slice(0, 10)}: Node ${node}, ${machine}, ${processors} processors, load ${before} before and ${after} after, fresh processes in turns (${rounds} per cell), each turn
beginning with another contender. Run it yourself: \`npm run bench:install\`, then \`npm run bench -- field\`.

A step is one call of a model and one call of a tool. Every contender gets the same scripted model and the same tool, and every run is checked: the tool ran as often as it was asked for, and the
answer is the model's. Figures are microseconds of processor time per step (median), so that other work on the machine counts less; in brackets the multiple of the row \`fullstop\` in the same column.
**Compare within a column of one run, never figures of two runs.** Elapsed time, best, worst and memory are in [field.json](../bench/results/field.json).

### Warm and cold

Runs of 200 steps in a process that has made so many steps before. A command, a test or a serverless function lives in the first columns, a server in the last.

${table(results.warmth, 'warmUp', (steps) => `after ${steps.toLocaleString('en')}`)}

### How time grows with the length of a run

After ${lukewarm} steps. A row that grows does more work per step the longer the run is.

${table(results.growth, 'size', (steps) => `${steps.toLocaleString('en')} steps`)}

![Time per step by the length of the run](../bench/results/growth.svg)

### Streams

Text read as it comes, after ${lukewarm} steps.

${table(results.streams, 'size', (steps) => `${steps.toLocaleString('en')} steps`)}

${crowd === undefined ? '' : `${crowdSection(crowd)}\n\n`}### What a row does more or less than the others

${notes()}

Like for like: \`fullstop\` and the peers have one limit of steps each. With the eight detectors that only fullstop has it is the row \`fullstop, all detectors\`. Every row of fullstop keeps a journal of all
steps, from which the run can be resumed; of the peers none does without a store.

### What each says at the end

Speed is easy to dispute. These are the situations of the [adapters' suite](adapters.md#the-table) that can happen in each framework, with the words that it was seen to use. A situation is ambiguous when the
framework says there what it also says for another kind of ending: whoever reads it cannot know which one it was. Fullstop has one kind for each.

| framework | situations | kinds of endings | different words | ambiguous situations |
|---|---|---|---|---|
${results.endings.map(({ framework, situations, kinds, words, ambiguous }) => `| ${framework} | ${situations} | ${kinds} | ${words} | ${ambiguous} |`).join('\n')}
`;
}

function table(rows: readonly FieldRow[], column: 'size' | 'warmUp', head: (value: number) => string): string {
  const columns = [...new Set(rows.map((row) => row[column]))];
  const names = [
    ...new Map(rows.map(({ id, name, version }) => [id, version === undefined ? name : `${name} (${version})`])),
  ];
  const lines = names.map(([id, name]) => {
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

function crowdSection({ date, node, load, rows }: CrowdResults): string {
  const { crowd, calls, shortRuns } = crowdSize;
  return `### Many runs

${crowd.toLocaleString('en')} runs of ${calls} steps at once, then ${shortRuns.toLocaleString('en')} runs of one step one after the other, in one process each (\`npm run bench -- crowd\`, ${date.slice(0, 10)}, Node ${node}, load ${load.toFixed(1)}).
The memory is the resident set after a collection: what a finished run of the crowd still holds, and by how much it grows over the last three quarters of the short runs.

| contender | steps per second | median run, ms | p99, ms | KB kept per run | KB grown |
|---|---|---|---|---|---|
${rows.map(crowdLine).join('\n')}`;
}

function crowdLine({ name, version, cell }: CrowdRow): string {
  const title = version === undefined ? name : `${name} (${version})`;
  if ('none' in cell) return `| ${title} | ${cell.none} | | | | |`;
  const { perSecond, p50, p99, keptKb, grownKb } = cell;
  const figures = [perSecond, p50, p99].map((each) => Math.round(each).toLocaleString('en'));
  return `| ${[title, ...figures, keptKb.toFixed(1), Math.round(grownKb).toLocaleString('en')].join(' | ')} |`;
}

function shown(rows: readonly FieldRow[], row: FieldRow): string {
  if ('none' in row.cell) return row.cell.none;
  const { processor } = row.cell;
  const figure = processor < 100 ? processor.toFixed(1) : Math.round(processor).toLocaleString('en');
  const ratio = ratioToOwn(rows, row);
  return ratio === undefined ? figure : `${figure} (${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}x)`;
}

function notes(): string {
  return [...contenders, ...streamContenders]
    .flatMap(({ name, note }) => (note === undefined ? [] : [`- ${name}: ${note}`]))
    .join('\n');
}
