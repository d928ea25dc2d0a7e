import { pages, rooms } from './rooms.js';

const marked = /(<!-- rooms: npm run rooms -->\n)[\s\S]*?(<!-- end of rooms -->)/;

/** A page with the table of rooms between its two marks. */
export function withRoomsTable(page: string): string {
  return page.replace(marked, (_, start: string, end: string) => `${start}\n${roomsTable()}\n\n${end}`);
}

/** The rooms and their inner walls as a Markdown table. */
export function roomsTable(): string {
  const rows = rooms.flatMap(({ folder, purpose, imports, packages = [], inner = [] }) => [
    row(folder, purpose, [...(imports === 'every room' ? [imports] : imports), ...packages].join(', ') || 'nothing'),
    ...inner.map(({ name, purpose: why, never }) => row(`${folder}/${name}`, why, `not ${never.join(', ')}`)),
  ]);
  const page = row(
    pages.folder,
    'The pages of the dashboard, in a browser.',
    'the files that `scripts/rooms.ts` names',
  );
  return ['| folder | is for | may import |', '|---|---|---|', ...rows, page].join('\n');
}

function row(folder: string, purpose: string, imports: string): string {
  return `| \`${folder}\` | ${purpose} | ${imports} |`;
}
