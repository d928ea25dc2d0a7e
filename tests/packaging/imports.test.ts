import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, test } from 'vitest';
import { entryPoints, publishedPackages } from '../../scripts/published-packages.js';
import { execute } from './execute.js';

const project = inject('project');
const specifiers = publishedPackages().flatMap((published) =>
  entryPoints(published).map(({ subpath }) => published.name + subpath.slice(1)),
);

/** Entries that load neither a package nor a module of Node, and so run in browsers and workers. */
const selfContained = ['', '/dialects', '/engine', '/journal', '/machine', '/notices', '/types'].map(
  (subpath) => `fullstop${subpath}`,
);

test.each(specifiers)('%s can be imported by plain Node', async (specifier) => {
  const script = `console.log(typeof await import('${specifier}'))`;
  expect(await execute('node', ['--input-type=module', '-e', script], project)).toBe('object\n');
});

test('package.json can be imported', async () => {
  const script = `console.log(import.meta.resolve('fullstop/package.json'))`;
  const url = await execute('node', ['--input-type=module', '-e', script], project);
  expect(url).toContain('/node_modules/fullstop/package.json');
});

test('a path that is not exported cannot be imported', async () => {
  const script = `await import('fullstop/dist/index.js')`;
  await expect(execute('node', ['--input-type=module', '-e', script], project)).rejects.toThrow(
    'ERR_PACKAGE_PATH_NOT_EXPORTED',
  );
});

test.each(selfContained)('%s loads nothing but its own files', async (specifier) => {
  const loaded = await modulesLoadedBy(specifier);
  const own = `${pathToFileURL(join(project, 'node_modules', 'fullstop', 'dist'))}/`;
  expect(loaded.length).toBeGreaterThan(0);
  expect(loaded.filter((url) => !url.startsWith(own))).toEqual([]);
});

test('the record of loaded modules sees what Node itself provides', async () => {
  writeFileSync(join(project, 'needs-node.mjs'), `import 'node:fs';`);
  expect(await modulesLoadedBy('./needs-node.mjs')).toContain('node:fs');
});

/** Imports a module in a fresh process and returns the address of every module resolved on the way. */
async function modulesLoadedBy(specifier: string): Promise<readonly string[]> {
  const record = join(project, 'loaded.txt');
  writeFileSync(record, '');
  writeFileSync(
    join(project, 'record-hooks.mjs'),
    `import { appendFileSync } from 'node:fs';
     export async function resolve(specifier, context, next) {
       const found = await next(specifier, context);
       appendFileSync(${JSON.stringify(record)}, found.url + '\\n');
       return found;
     }`,
  );
  writeFileSync(
    join(project, 'record.mjs'),
    `import { register } from 'node:module';
     register('./record-hooks.mjs', import.meta.url);
     await import('${specifier}');`,
  );
  await execute('node', ['record.mjs'], project);
  return readFileSync(record, 'utf8').split('\n').filter(Boolean);
}
