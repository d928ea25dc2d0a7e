/** Second half of the build: one JavaScript file per entry point, beside the declarations that tsc wrote. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild';
import {
  type EntryPoint,
  entryPoints,
  type PublishedPackage,
  programs,
  publishedPackages,
  root,
} from './published-packages.js';

const always = {
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  sourcemap: true,
  sourcesContent: false,
  write: false,
} as const satisfies BuildOptions;

for (const published of publishedPackages()) {
  const isProgram = published.exports === undefined;
  const written = isProgram ? await bundleProgram(published) : await bundleLibrary(published);
  removeStale(published.folder, written);
}

/**
 * Gives the files that were written. Nothing is shared between entry points: a chunk costs more to load than the code in it,
 * and classes are recognised by marks. Nothing is minified: stack traces and source maps lead to the packed sources.
 */
async function bundleLibrary(published: PublishedPackage): Promise<ReadonlySet<string>> {
  const entries = entryPoints(published);
  const [main, others] = [entries.filter(isMain), entries.filter((entry) => !isMain(entry))];
  const options = { ...always, absWorkingDir: published.folder, platform: 'neutral', packages: 'external' } as const;
  const bundles = await Promise.all([
    build({ ...options, entryPoints: [...others.map(({ source }) => source), ...threadSources(published)] }),
    build({
      ...options,
      entryPoints: main.map(({ source }) => source),
      chunkNames: 'chunks/[name]-[hash]',
      splitting: true,
      plugins: [oneRuntime(published)],
    }),
  ]);
  return write(bundles.flatMap(({ outputFiles }) => outputFiles));
}

function isMain({ subpath }: EntryPoint): boolean {
  return subpath === '.';
}

/**
 * What the root entry loads with the first run comes as one file: the runtime of runs and the loop of agents share most of
 * what they need, and every further file would cost its time at import.
 */
function oneRuntime({ folder }: PublishedPackage): Plugin {
  const parts = ['./run/runtime.js', './agent/loop.js'];
  const contents = parts.map((part) => `export * from '${part}';`).join('\n');
  return {
    name: 'one-runtime',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /\/(runtime|loop)\.js$/ }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: 'runtime', namespace: 'one-runtime' } : undefined,
      );
      onLoad({ filter: /.*/, namespace: 'one-runtime' }, () => ({ contents, resolveDir: join(folder, 'src') }));
    },
  };
}

/**
 * Commands are loaded on demand, so each is a chunk of its own, with what several need in chunks that they share. Our own
 * library is bundled in from its sources, which leaves out what no command uses, and so is yaml, whose many small files
 * take long to load. Other packages stay outside.
 */
async function bundleProgram(published: PublishedPackage): Promise<ReadonlySet<string>> {
  const libraries = publishedPackages().filter(({ exports }) => exports !== undefined);
  const alias = libraries.flatMap((library) =>
    entryPoints(library).map(({ subpath, source }) => [join(library.name, subpath), source]),
  );
  const { outputFiles } = await build({
    ...always,
    absWorkingDir: published.folder,
    entryPoints: [
      ...programs(published).map((file) => ({ in: file, out: basename(file, '.ts') })),
      // Beside the chunk that starts the thread.
      ...libraries.flatMap(threadSources).map((file) => ({ in: file, out: `chunks/${basename(file, '.ts')}` })),
    ],
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    packages: 'external',
    splitting: true,
    sourcemap: false,
    minifySyntax: true,
    minifyWhitespace: true,
    alias: { ...Object.fromEntries(alias), yaml: join(root, 'node_modules/yaml/browser/index.js') },
  });
  return write(outputFiles);
}

function write(files: readonly OutputFile[]): ReadonlySet<string> {
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents, { mode: path.endsWith('/main.js') ? 0o755 : 0o644 });
  }
  return new Set(files.map(({ path }) => path));
}

/** Code that runs in a thread of its own is loaded by its file name, so it cannot be part of another bundle. */
function threadSources({ folder }: PublishedPackage): readonly string[] {
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
  return sources.filter((file) => file.endsWith('-thread.ts')).map((file) => join(folder, 'src', file));
}

/** Removes scripts of an earlier build, and declarations whose source is gone. */
function removeStale(folder: string, written: ReadonlySet<string>): void {
  for (const file of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, 'dist', file);
    const staleScript = /\.js(\.map)?$/.test(file) && !written.has(path);
    const source = join(folder, 'src', file.replace(/\.d\.ts(\.map)?$/, '.ts'));
    const staleDeclaration = /\.d\.ts(\.map)?$/.test(file) && !existsSync(source);
    if (staleScript || staleDeclaration) rmSync(path);
  }
}
