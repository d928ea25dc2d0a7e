import type { Dialect, ForeignWord } from '../packages/fullstop/src/dialects/dialect.js';
import { isObject } from '../packages/fullstop/src/termination/json.js';
import { sampleTerminations } from './sample-terminations.js';

const marker = '<!-- From here on written by `npm run docs`, from the tables in packages/fullstop/src/dialects. -->\n';

/** The document with the part after the marker brought up to date. */
export function withDialectTables(document: string, dialects: readonly Dialect[]): string {
  const [written, ...rest] = document.split(marker);
  if (rest.length !== 1) throw new Error(`The document needs this line once: ${marker}`);
  return `${written}${marker}\n${dialectTables(dialects)}`;
}

function dialectTables(dialects: readonly Dialect[]): string {
  const parts = [
    '## Every kind in every vocabulary',
    'The word for an ordinary ending of each kind, and how much of it is kept. A dash: there is no word, not even a general one.',
    kindTable(dialects),
    ...dialects.flatMap((dialect) => [`## ${dialect.title}`, sentence(dialect), wordTable(dialect)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function kindTable(dialects: readonly Dialect[]): string {
  const rows = Object.values(sampleTerminations).map((termination) => [
    code(termination.kind),
    ...dialects.map((dialect) => {
      const { value, fidelity } = dialect.encode(termination);
      return value === null ? '–' : `${code(dialect.wordOf(value) ?? '')} ${fidelity}`;
    }),
  ]);
  return table(['kind', ...dialects.map((dialect) => dialect.title)], rows);
}

/** Describes what a value of the vocabulary looks like, and under which name definitions declare their words for it. */
function sentence({ name, words, encode }: Dialect): string {
  const samples = words.map(({ kind }) => sampleTerminations[kind]);
  const shown = samples.find((sample) => encode(sample).fidelity !== 'none');
  const value = shown === undefined ? '' : ` Its \`${shown.kind}\` is \`${JSON.stringify(encode(shown).value)}\`.`;
  return `Definitions of kinds call it \`${name}\`.${value}`;
}

function wordTable(dialect: Dialect): string {
  return table(['word', 'kind', 'implied', 'carries', 'canonical', 'note'], dialect.words.map(wordRow));
}

function wordRow({ word, kind, implied, carries, canonical, note }: ForeignWord): readonly string[] {
  const fields = fieldTexts(implied).map(code).join(', ');
  const carried = carries.map(code).join(', ');
  return [code(word), code(kind), fields, carried, canonical === undefined ? '' : code(canonical), note ?? ''];
}

/** The fields of a value, one text each: `by.type: hook`. */
function fieldTexts(value: object, path = ''): readonly string[] {
  return Object.entries(value).flatMap(([key, field]) => {
    if (isObject(field)) return fieldTexts(field, `${path}${key}.`);
    const shown = Array.isArray(field) ? `[${field.join(', ')}]` : String(field);
    return [`${path}${key}: ${shown}`];
  });
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(header), row(header.map(() => '---')), ...rows.map(row)].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
