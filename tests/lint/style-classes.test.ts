import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const sources = resolve(import.meta.dirname, '../../packages/web/src');

/** The folders of the page whose style sheets begin a rule with a class, by class. */
function foldersByClass(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const sheets = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
  for (const sheet of sheets) {
    const text = readFileSync(join(sources, sheet), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    const [folder = ''] = sheet.split('/');
    for (const [, name = ''] of text.matchAll(/^\s*\.([a-z][\w-]*)\s*(?=[{,])/gm))
      found.set(name, (found.get(name) ?? new Set()).add(folder));
  }
  return found;
}

// All style sheets end up in one file, where a class of one page would change another page.
it('every class of a style sheet belongs to one folder of the dashboard', () => {
  const folders = foldersByClass();
  expect(folders.size).toBeGreaterThan(50);
  expect([...folders].filter(([, where]) => where.size > 1).map(([name]) => name)).toEqual([]);
});
