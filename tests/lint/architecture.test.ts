import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/published-packages.js';
import { withRoomsTable } from '../../scripts/rooms-table.js';

const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const source = join(root, 'packages/fullstop/src');

/** The files that the map names in code spans, such as `run/unit/step.ts`; a bare name stands in the folder before it. */
function namedFiles(): readonly string[] {
  const files: string[] = [];
  for (const line of map.split('\n')) {
    let folder = '';
    for (const [, path = ''] of line.matchAll(/`([\w./-]+\.ts)`/g)) {
      const isBare = !path.includes('/');
      files.push(isBare ? `${folder}/${path}` : path);
      if (!isBare) folder = path.slice(0, path.lastIndexOf('/'));
    }
  }
  return files;
}

function exists(file: string): boolean {
  const near = [root, source, join(root, 'packages/cli/src'), join(source, 'engines/sqlite')];
  return near.some((folder) => existsSync(join(folder, file)));
}

test('the map names only files that exist', () => {
  expect(namedFiles().length).toBeGreaterThan(30);
  expect(namedFiles().filter((file) => !exists(file))).toEqual([]);
});

test('the table of rooms in the map is that of the linter', () => {
  expect(withRoomsTable(map), 'npm run rooms').toBe(map);
});
