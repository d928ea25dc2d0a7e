import { type Cell, cellsOf, type FrameworkTable, situationIds, situations } from '../tests/adapters/situation.js';

/** A framework and its column. */
export interface AdapterColumn {
  readonly title: string;
  readonly table: FrameworkTable;
}

const marker = '<!-- From here on written by `npm run docs`, from the tables in tests/adapters. -->\n';

/** The document with the part after the marker brought up to date. */
export function withAdapterTables(document: string, columns: readonly AdapterColumn[]): string {
  const [written, ...rest] = document.split(marker);
  if (rest.length !== 1) throw new Error(`The document needs this line once: ${marker}`);
  return `${written}${marker}\n${columns.map(section).join('\n\n')}\n`;
}

function section({ title, table }: AdapterColumn): string {
  const header = ['| situation | the framework says | the ending |', '|---|---|---|'];
  const rows = situationIds.flatMap((id) => cellsOf(table, id).map((cell) => row(situations[id], cell)));
  return [`### ${title}`, '', ...header, ...rows].join('\n');
}

function row(situation: string, cell: Cell): string {
  const { how, cannot, says } = cell;
  const tried = cannot === undefined ? '' : 'tried: ';
  const cells = [
    how === undefined ? situation : `${situation} – ${tried}${how}`,
    says,
    cannot === undefined ? ending(cell) : `cannot happen: ${cannot}; instead ${ending(cell)}`,
  ];
  return `| ${cells.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
}

function ending({ ending: { kind, ...fields } }: Cell): string {
  const evidence = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `\`${kind}\`${evidence.length === 0 ? '' : ` \`{ ${evidence.join(', ')} }\``}`;
}
