import type { PortingRow, PortingTable } from '../tests/porting/porting-row.js';

const marker = '<!-- From here on written by `npm run docs`, from the tables in tests/porting. -->\n';

/** The document with the part after the marker brought up to date. */
export function withPortingTables(document: string, tables: readonly PortingTable[]): string {
  const [written, ...rest] = document.split(marker);
  if (rest.length !== 1) throw new Error(`The document needs this line once: ${marker}`);
  return `${written}${marker}\n${tables.map(section).join('\n\n')}\n`;
}

function section({ title, rows }: PortingTable): string {
  const header = ['| AI SDK 6 | AI SDK 7 | here | |', '|---|---|---|---|'];
  return [`## ${title}`, '', ...header, ...rows.map(line)].join('\n');
}

function line({ six, seven = six, ours, note = '', proof }: PortingRow): string {
  const later = six.length > 0 && seven.join() === six.join() ? 'the same' : codes(seven);
  const here = ours === undefined ? 'none' : `${codeOf(ours)}${proof === undefined ? '' : ' ✓'}`;
  return `| ${[codes(six), later, here, note].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function codes(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.map((name) => `\`${name}\``).join(', ');
}

/** Words between codes stay words. */
function codeOf(text: string): string {
  if (text.startsWith('the same')) return text.replace(/(clientTool\(.*\)|idempotencyKey)/, '`$1`');
  return text.includes('`')
    ? text
    : text
        .split(' · ')
        .map((part) => `\`${part}\``)
        .join(' · ');
}
