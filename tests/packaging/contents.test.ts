import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { entryPoints, publishedPackages } from '../../scripts/published-packages.js';

const libraries = publishedPackages().filter(({ exports }) => exports !== undefined);

describe.each(libraries)('the files of $name', (published) => {
  const folder = join(inject('project'), 'node_modules', published.name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );

  test('are code, sources and texts', () => {
    expect(files.filter((file) => !/^(dist|src)\//.test(file)).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(files).toContain('dist/index.js');
  });

  test('include no tests and no fixtures', () => {
    expect(files.filter((file) => /\.(test|test-d|fixture)\./.test(file))).toEqual([]);
  });

  test('are declarations of the sources and one script per entry and thread, nothing stale', () => {
    const sources = files.filter((file) => /^src\/.*(?<!\.d)\.ts$/.test(file)).map((file) => file.slice(4, -3));
    const declarations = sources.flatMap((source) => [`${source}.d.ts`, `${source}.d.ts.map`]);
    const entries = entryPoints(published).map(({ types }) =>
      relative(join(published.folder, 'dist'), types).replace(/\.d\.ts$/, ''),
    );
    const threads = sources.filter((source) => source.endsWith('-thread'));
    const scripts = [...entries, ...threads].flatMap((name) => [`${name}.js`, `${name}.js.map`]);
    const built = files.filter((file) => file.startsWith('dist/')).map((file) => file.slice(5));
    const isChunk = (file: string): boolean => file.startsWith('chunks/');
    expect(built.filter((file) => !isChunk(file)).sort()).toEqual([...declarations, ...scripts].sort());
    // What the root entry loads with the first run, and what that shares with it.
    const chunks = built.filter(isChunk).map((file) => file.replace(/-\w+(?=\.js)/, ''));
    expect(chunks.sort()).toEqual(
      ['chunk', 'runtime'].flatMap((name) => [`chunks/${name}.js`, `chunks/${name}.js.map`]),
    );
  });

  test('have source maps that stay inside the package', () => {
    const outside = files
      .filter((file) => file.endsWith('.map'))
      .flatMap((file) => {
        const { sources } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { sources: string[] };
        return sources.map((source) => relative(folder, join(folder, dirname(file), source)));
      })
      .filter((source) => !files.includes(source));
    expect(outside).toEqual([]);
  });
});
