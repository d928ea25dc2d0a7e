import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadText } from '../load/load-text.fixture.js';
import { formatProblem } from '../source/problem.js';
import { keyTables } from './key-tables.fixture.js';

const repository = new URL('../../../../../', import.meta.url);
const pathOf = (name: string): string => fileURLToPath(new URL(name, repository));
const marked = /<!-- keys: (\w+) -->\n[\s\S]*?<!-- end -->/g;

function withTables(text: string): string {
  const tables = keyTables();
  return text.replace(
    marked,
    (_, name: string) => `<!-- keys: ${name} -->\n${tables.get(name) ?? 'no such table'}\n<!-- end -->`,
  );
}

describe('docs/workflow-syntax.md', () => {
  const file = pathOf('docs/workflow-syntax.md');

  it('has the tables of the schema (FULLSTOP_UPDATE_DOCS=1 writes them)', () => {
    const text = readFileSync(file, 'utf8');
    if (process.env['FULLSTOP_UPDATE_DOCS'] === '1') writeFileSync(file, withTables(text));
    expect(readFileSync(file, 'utf8')).toBe(withTables(text));
  });

  it('has every table', () => {
    const named = [...readFileSync(file, 'utf8').matchAll(marked)].map(([, name]) => name);
    expect(named.toSorted()).toEqual([...keyTables().keys()].toSorted());
  });
});

/** A part of a file becomes a whole one, with the first step or group as the entry. */
function wholeFile(block: string): string {
  if (/^workflow:/m.test(block)) return block;
  const entry = /^ {2}- name: (\w+)/m.exec(block)?.[1] ?? 'a';
  const agents = /^agents:/m.test(block) ? '' : 'agents: []\n';
  return `workflow: { name: snippet, entry_point: ${entry} }\n${agents}${block}`;
}

/** The names in a snippet that are defined outside it. */
const files = { 'approve.yaml': 'workflow: { name: c, entry_point: a }\nagents: [{ name: a, type: set, value: x }]' };

describe.each(['docs/workflow-syntax.md', 'skills/fullstop/SKILL.md'])('the YAML of %s', (name) => {
  const text = existsSync(pathOf(name)) ? readFileSync(pathOf(name), 'utf8') : '';
  const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = ''], index) => ({
    index: index + 1,
    block,
  }));

  it('is there', () => {
    expect(blocks.length).toBeGreaterThan(5);
  });

  it.each(blocks)('block $index loads without problems', ({ block }) => {
    const result = loadText(wholeFile(block), { files });
    expect((result.ok ? result.loaded.warnings : result.problems).map(formatProblem)).toEqual([]);
  });
});
