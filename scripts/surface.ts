import type { PublicEntry } from './reference/read-names.js';

interface NamedReport {
  /** How users import it. */
  readonly specifier: string;
  /** The text of its API report. */
  readonly report: string;
}

interface Declaration {
  readonly name: string;
  readonly word: string;
  readonly signature: string;
}

const longestSignature = 160;

/** A page that lists every public name with its sentence and signature, by entry. */
export function surfacePage(reports: readonly NamedReport[], entries: readonly PublicEntry[]): string {
  const sections = reports.map(({ specifier, report }) => {
    const names = entries.find((entry) => entry.specifier === specifier)?.names ?? [];
    const sentences = new Map(names.map(({ name, sentence }) => [name, prose(sentence)]));
    const rows = declarationsIn(report).map(
      ({ name, word, signature }) => `| \`${name}\` | ${word} | ${sentences.get(name) ?? ''} | ${cell(signature)} |`,
    );
    return [`## \`${specifier}\``, '', '| name | is | | signature |', '|---|---|---|---|', ...rows, ''].join('\n');
  });
  return [
    '# Every public name',
    '',
    'Written by `npm run api` from the API reports in `packages/*/api`, which have the members of each type, and from the TSDoc of each name.',
    '',
    ...sections,
  ].join('\n');
}

/** The exported declarations of a report, in its order, which is alphabetical. */
export function declarationsIn(report: string): readonly Declaration[] {
  const found: Declaration[] = [];
  const pattern = /^export (?:declare )?(?:abstract )?(function|const|class|interface|type|let) ([\w$]+)(.*)$/gm;
  for (const [, word = '', name = '', rest = ''] of report.matchAll(pattern)) {
    found.push({ name, word, signature: signatureOf(word, rest) });
  }
  return found;
}

/** One line: a function's parameters and result, what a constant or alias is, what an interface or class extends. */
function signatureOf(word: string, rest: string): string {
  const line = rest
    .trim()
    .replace(/^[:=]\s*/, '')
    .replace(/[{;]\s*$/, '')
    .trim();
  if (word === 'interface' || word === 'class')
    return /\bextends\b/.test(line) ? line.slice(line.lastIndexOf('extends')) : '';
  return line.length <= longestSignature ? line : `${line.slice(0, longestSignature - 1)}…`;
}

/** A sentence in a table; what would be markup is shown as it is. */
function prose(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function cell(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``;
}
