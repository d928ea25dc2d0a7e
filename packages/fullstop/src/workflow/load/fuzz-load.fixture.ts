// biome-ignore-all lint/suspicious/noTemplateCurlyInString: files hold these texts
import { seededRandom } from '../../testing/seeded-random.js';
import { describeAnalysis } from '../analyze/describe-analysis.js';
import { drawMermaid } from '../analyze/draw-mermaid.js';
import { analyzeWorkflow } from '../analyze-workflow.js';
import { formatProblem } from '../source/problem.js';
import { loadDocument } from './load-document.js';

/** The outcome of a round of broken files. */
export interface FuzzResult {
  readonly loaded: number;
  readonly refused: number;
  /** Texts that made the loader throw, or report a problem without a place. */
  readonly failures: readonly { readonly text: string; readonly reason: string }[];
}

export interface FuzzOptions {
  readonly seeds: readonly string[];
  readonly count: number;
  readonly seed: number;
}

/** Loads and analyses many changed copies of good files: each must load or be refused with places. */
export function fuzzLoad({ seeds, count, seed }: FuzzOptions): FuzzResult {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const failures: { text: string; reason: string }[] = [];
  let loaded = 0;
  for (let round = 0; round < count; round += 1) {
    let text = pick(seeds);
    for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes -= 1)
      text = pick(mutations)({ text, random, pick, seeds });
    const outcome = tryLoad(text);
    if (outcome === 'loaded') loaded += 1;
    else if (outcome !== 'refused') failures.push({ text, reason: outcome });
  }
  return { loaded, refused: count - loaded - failures.length, failures };
}

function tryLoad(text: string): string {
  try {
    const result = loadDocument({ file: '/flow/workflow.yaml', text, env: {}, readFile: noFile });
    const problems = result.ok ? result.loaded.warnings : result.problems;
    const unlocated = problems.find(
      ({ line, column, message, file }) => !(line >= 1 && column >= 1 && message !== '' && file !== ''),
    );
    if (unlocated !== undefined) return `no place: ${formatProblem(unlocated)}`;
    if (!result.ok)
      return problems.some(({ severity }) => severity === 'error') ? 'refused' : 'refused without an error';
    const analysis = analyzeWorkflow(result.loaded);
    return describeAnalysis(analysis) !== '' && drawMermaid(analysis) !== '' ? 'loaded' : 'no analysis';
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function noFile(path: string): string {
  throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
}

interface Mutation {
  readonly text: string;
  readonly random: () => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly seeds: readonly string[];
}

const fragments: readonly string[] = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ': ',
    '- ',
    '? ',
    '|',
    '>',
    '"',
    "'",
    '#',
    '&a ',
    '*a',
    '!file x',
    '!!int ',
    '<<: *a',
    '%YAML 1.1',
    '---',
    '...',
  ],
  ...[
    '{{',
    '}}',
    '{%',
    '%}',
    '{{ a.output.x | default("") }}',
    '${HOME}',
    '${X:-y}',
    '$end',
    '\t',
    '\n',
    '\r\n',
    '\0',
    '\uFEFF',
    '\u2028',
    '😀',
    '\\',
  ],
  ...[
    'null',
    '~',
    'true',
    '1e999',
    '.nan',
    '0x',
    '99999999999999999999',
    '2024-01-01',
    'type: terminate',
    'status: failed',
    'on_error: [{to: $end}]',
  ],
  ...[
    'name: a',
    'routes: [{to: a}]',
    'when: "x ="',
    'agents:',
    'workflow:',
    'parallel:',
    'for_each:',
    '__proto__: {x: 1}',
    'constructor: 1',
  ],
];

const mutations: readonly ((mutation: Mutation) => string)[] = [
  ({ text, random, pick }) => splice(text, Math.floor(random() * text.length), 0, pick(fragments)),
  ({ text, random }) => splice(text, Math.floor(random() * text.length), 1 + Math.floor(random() * 20), ''),
  ({ text, random }) =>
    splice(text, Math.floor(random() * text.length), 1, String.fromCharCode(Math.floor(random() * 0x250))),
  ({ text, random }) => {
    const start = Math.floor(random() * text.length);
    const part = text.slice(start, start + Math.floor(random() * 200));
    return splice(text, Math.floor(random() * text.length), 0, part);
  },
  ({ text, random }) => text.slice(0, Math.floor(random() * text.length)),
  ({ text, pick }) => swapLines(text, pick),
  ({ text, pick, seeds, random }) => {
    const other = pick(seeds);
    return text.slice(0, Math.floor(random() * text.length)) + other.slice(Math.floor(random() * other.length));
  },
  ({ text, random, pick }) =>
    splice(text, Math.floor(random() * text.length), 0, pick(fragments).repeat(Math.floor(random() * 300))),
  ({ text, random }) =>
    text.replace(/: [^\n{[]+/g, (value) => (random() < 0.1 ? `: ${Math.floor(random() * 5) - 1}` : value)),
];

function splice(text: string, start: number, removed: number, added: string): string {
  return text.slice(0, start) + added + text.slice(start + removed);
}

function swapLines(text: string, pick: Mutation['pick']): string {
  const lines = text.split('\n');
  const first = pick([...lines.keys()]);
  const second = pick([...lines.keys()]);
  [lines[first], lines[second]] = [lines[second] ?? '', lines[first] ?? ''];
  return lines.join('\n');
}
