import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withPortingTables } from '../../scripts/porting-document.js';
import { root } from '../../scripts/published-packages.js';
import { type PortingRow, sceneOf } from './porting-row.js';
import { portingTables } from './porting-tables.js';

const rows = portingTables.flatMap((table) => table.rows);

const nameOf = ({ six, seven = [] }: PortingRow): string => [...six, ...seven][0] ?? '';

describe.each(portingTables)('$title', ({ rows: listed }) => {
  const proven = listed.flatMap((row) => (row.proof === undefined ? [] : [{ name: nameOf(row), proof: row.proof }]));

  it.each(proven)('$name does the same on both sides', async ({ proof }) => {
    const { answers, theirs, ours, agree } = proof;
    expect(await theirs(sceneOf(answers)), 'the AI SDK').toEqual(agree);
    expect(await ours(sceneOf(answers)), 'Fullstop').toEqual(agree);
  });
});

describe('the porting tables', () => {
  it('prove every counterpart that version 6 can run, and say why where there is none', () => {
    const unproven = rows.filter(({ six, ours, proof }) => ours !== undefined && six.length > 0 && proof === undefined);
    expect(unproven.map(nameOf)).toEqual(['experimental_telemetry', 'tool: onInputStart']);
    for (const row of rows) if (row.ours === undefined) expect(row.note, nameOf(row)).toMatch(/\.$/);
  });

  it('name every option of generateText, streamText and ToolLoopAgent', () => {
    const named = new Set(rows.flatMap(({ six }) => six));
    const options = optionsOfSix();
    expect(options.length).toBeGreaterThan(45);
    expect(options.filter((option) => !named.has(option))).toEqual([]);
  });

  it('are in docs/coming-from-ai-sdk.md as they are here', () => {
    const document = readFileSync(join(root, 'docs/coming-from-ai-sdk.md'), 'utf8');
    expect(document, 'docs/coming-from-ai-sdk.md is stale: npm run docs').toBe(
      withPortingTables(document, portingTables),
    );
  });
});

/** The names of all options, from the declarations of the version that is installed. */
function optionsOfSix(): readonly string[] {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('ai/package.json'));
  const text = readFileSync(join(folder, 'dist/index.d.ts'), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const destructured = ['generateText', 'streamText'].flatMap((name) => {
    const [, list = ''] =
      new RegExp(`declare function ${name}<[^(]*\\(\\{([^}]*\\}[^}]*|[^}]*)\\}: CallSettings`).exec(text) ?? [];
    return list.split(',').map((part) => part.replace(/[:{].*/s, '').trim());
  });
  const members = ['type CallSettings = {', 'type ToolLoopAgentSettings<'].flatMap((start) => {
    const body = text.slice(text.indexOf(start)).split('\n};')[0] ?? '';
    return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = '']) => name);
  });
  const all = [...destructured, ...members].filter((name) => /^\w+$/.test(name));
  return [...new Set(all)].sort();
}
