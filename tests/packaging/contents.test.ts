import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { reachableDeclarations } from '../../scripts/public-declarations.js';
import { entryPoints, publishedPackages } from '../../scripts/published-packages.js';

const libraries = publishedPackages().filter(({ exports }) => exports !== undefined);

describe.each(libraries)('the files of $name', (published) => {
  const folder = join(inject('project'), 'node_modules', published.name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );

  const entries = entryPoints(published).map(({ types }) =>
    relative(join(published.folder, 'dist'), types).replace(/\.d\.ts$/, ''),
  );
  const built = files.filter((file) => file.startsWith('dist/')).map((file) => file.slice(5));

  test('are code and texts', () => {
    expect(files.filter((file) => !/^(dist|docs)\//.test(file)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(built).toContain('index.js');
  });

  test('include the documentation as Markdown, with a list of its pages for assistants', () => {
    const docs = files.filter((file) => file.startsWith('docs/'));
    expect(docs).toEqual(expect.arrayContaining(['docs/README.md', 'docs/quickstart.md', 'docs/llms.txt']));
    expect(docs.filter((file) => !/\.(md|txt)$/.test(file))).toEqual([]);
    const list = readFileSync(join(folder, 'docs/llms.txt'), 'utf8');
    const pages = [...list.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(
      ([, page]) => `docs/${page === 'index.md' ? 'README.md' : page}`,
    );
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter((page) => !docs.includes(page))).toEqual([]);
  });

  test('include no tests, no fixtures and no maps', () => {
    expect(files.filter((file) => /\.(test|test-d|fixture)\.|\.map$/.test(file))).toEqual([]);
  });

  test('are one script per entry and thread, nothing stale', () => {
    const threads = sourcesOf(join(published.folder, 'src')).filter((source) => source.endsWith('-thread'));
    const scripts = built.filter((file) => file.endsWith('.js') && !isChunk(file));
    expect(scripts.sort()).toEqual([...entries, ...threads].map((name) => `${name}.js`).sort());
  });

  test('are the declarations of the entries and those that they lead to, nothing else', () => {
    const dist = join(folder, 'dist');
    const needed = reachableDeclarations(entries.map((name) => join(dist, `${name}.d.ts`)));
    const declarations = built.filter((file) => file.endsWith('.d.ts'));
    expect(declarations.sort()).toEqual([...needed].map((file) => relative(dist, file)).sort());
    expect(built.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual([]);
  });

  test('load no chunk twice and leave none unused', () => {
    const texts = built
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(join(folder, 'dist', file), 'utf8'));
    const chunks = built.filter(isChunk).map((file) => basename(file));
    expect(chunks.filter((chunk) => !texts.some((text) => text.includes(`/${chunk}"`)))).toEqual([]);
    // The root entry: what it loads with the first run, and what that shares with it.
    const root = readFileSync(join(folder, 'dist/index.js'), 'utf8');
    expect(new Set(root.match(/chunks\/[\w-]+\.js/g)).size).toBe(2);
  });

  test('have what a first run calls in parentheses, which V8 compiles at once', () => {
    const root = readFileSync(join(folder, 'dist/index.js'), 'utf8');
    expect(root).toMatch(/^var defineAgent = \(function \(/m);
    expect(root.indexOf('var defineAgent')).toBeLessThan(root.indexOf('\nimport '));
  });

  test('have declarations that can be read by themselves', () => {
    const declaration = readFileSync(join(folder, 'dist/run/define-run.d.ts'), 'utf8');
    expect(declaration).toContain('/**');
    expect(built.filter((file) => /sourceMappingURL/.test(readFileSync(join(folder, 'dist', file), 'utf8')))).toEqual(
      [],
    );
  });

  test('are at most 5 MB', () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(bytes).toBeLessThan(5_000_000);
  });
});

function isChunk(file: string): boolean {
  return file.startsWith('chunks/');
}

/** The sources without tests, as paths without their extension. */
function sourcesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|test-d|fixture)\.ts$/.test(file))
    .map((file) => file.slice(0, -3));
}
