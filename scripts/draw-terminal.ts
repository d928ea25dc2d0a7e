/** Draws what the command line shows on a terminal, for the documentation: docs/pictures/*.svg. Needs a build. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDashboardStore } from '../tests/browser/dashboard-store.js';
import { workflows } from '../tests/e2e/workflows.js';
import { root } from './published-packages.js';

const binary = join(root, 'packages/cli/dist/main.js');
const pictures = join(root, 'docs/pictures');
const columns = 107;
const [cell, line, margin] = [8.43, 19, 16];

/** Each picture: the commands that it shows. Those listed before it have run in the same folder. */
const scenes: Readonly<Record<string, readonly string[]>> = {
  run: ['run triage.yaml --scripted triage.script.yaml -i ticket=4711 --run-id r_8fk2'],
  why: ['why r_8fk2'],
  answer: ['run refund.yaml -i age=60 --run-id r_c41x', 'answer r_c41x', 'answer r_c41x --choose approve --by maria'],
  limit: ['run loop.yaml --run-id r_d9q3', 'resume r_d9q3 --max-iterations 6'],
};

/** The pictures of a store as an owner of several programs has it after a week: 600 runs of agents, pipelines and workflows. */
const scenesOfStore: Readonly<Record<string, readonly string[]>> = {
  runs: ['runs --since 1h', 'stats'],
  'what-if': ['what-if --workflow researcher --last 200 --sweep tokens=10000..60000/10000'],
};

const colours: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '34': '#79c0ff',
  '35': '#d2a8ff',
  '36': '#76e3ea',
};

/** The line for a step that takes its time, which depends on how busy this machine is. */
const signOfLife = /^.*… .* is running.*\n/gm;

function show(folder: string, command: string): string {
  const { FULLSTOP_STORE: _, ...inherited } = process.env;
  const env = { ...inherited, FORCE_COLOR: '1', COLUMNS: String(columns), LANG: 'C.UTF-8', USER: 'you' };
  const { stdout } = spawnSync('sh', ['-c', `"${process.execPath}" "${binary}" ${command} 2>&1`], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return `\u001b[1m$ fullstop ${command}\u001b[22m\n${stdout.replace(signOfLife, '')}`;
}

/** A terminal as a picture. */
function draw(text: string): string {
  const rows = text.trimEnd().split('\n');
  const longest = Math.max(columns, ...rows.map((row) => [...titleOf([row])].length));
  const width = Math.ceil(longest * cell + margin * 2);
  const height = rows.length * line + margin * 2;
  const texts = rows.map(
    (row, index) => `<text y="${margin + (index + 0.75) * line}" xml:space="preserve">${spans(row)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(titleOf(rows))}</title>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3">
${texts.join('\n')}
</g>
</svg>
`;
}

/** The first line without its colours. */
function titleOf([first = '']: readonly string[]): string {
  return first
    .split('\u001b[')
    .map((part) => part.replace(/^\d+m/, ''))
    .join('');
}

/** Every text stands in its column, however wide the letters of the reader's font are. */
function spans(row: string): string {
  let [colour, weight, opacity] = ['', '', ''];
  let column = 0;
  return row
    .split('\u001b[')
    .map((part, index) => {
      const [, code = '', words = ''] = index === 0 ? ['', '', part] : (/^(\d+)m(.*)$/.exec(part) ?? []);
      if (code in colours) colour = ` fill="${colours[code]}"`;
      else if (code === '39') colour = '';
      else if (code === '1') weight = ' font-weight="bold"';
      else if (code === '2') opacity = ' opacity="0.6"';
      else if (code === '22') [weight, opacity] = ['', ''];
      const look = `${colour}${weight}${opacity}`;
      const placed = [...words.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index: before }) => {
        const at = margin + (column + [...words.slice(0, before)].length) * cell;
        const length = [...text].length * cell;
        return `<tspan x="${rounded(at)}" textLength="${rounded(length)}" lengthAdjust="spacingAndGlyphs"${look}>${escaped(text)}</tspan>`;
      });
      column += [...words].length;
      return placed.join('');
    })
    .join('');
}

function rounded(length: number): number {
  return Math.round(length * 10) / 10;
}

function escaped(text: string): string {
  return text.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function drawScenes(folder: string, all: typeof scenes): void {
  for (const [name, commands] of Object.entries(all)) {
    const text = commands.map((command) => show(folder, command)).join('\n');
    writeFileSync(join(pictures, `${name}.svg`), draw(text));
  }
}

const folder = mkdtempSync(join(tmpdir(), 'fullstop-pictures-'));
const week = mkdtempSync(join(tmpdir(), 'fullstop-pictures-'));
try {
  for (const [name, content] of Object.entries(workflows)) writeFileSync(join(folder, name), content);
  for (const name of ['triage.yaml', 'triage.script.yaml'])
    copyFileSync(join(root, 'examples/workflows', name), join(folder, name));
  mkdirSync(pictures, { recursive: true });
  drawScenes(folder, scenes);
  await makeDashboardStore({ folder: week, runs: 600, seed: 7 });
  drawScenes(week, scenesOfStore);
  execFileSync(process.execPath, [binary, 'graph', 'refund.yaml', '--svg', join(pictures, 'graph.svg')], {
    cwd: folder,
    stdio: 'ignore',
  });
} finally {
  for (const made of [folder, week]) rmSync(made, { recursive: true });
}
