/** Second half of the build: the JavaScript of the entry points, beside the declarations that tsc wrote. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type OutputFile, type Plugin, transformSync } from 'esbuild';
import { bundlePages } from './bundle-pages.js';
import { copyTemplates } from './copy-templates.js';
import { layOutByFirstUse } from './first-use.js';
import { reachableDeclarations } from './public-declarations.js';
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
  chunkNames: 'chunks/[name]-[hash]',
  write: false,
} as const satisfies BuildOptions;

/** Entries that execute runs, and so share the kernel. The other entries are small, and one file loads faster than two. */
const kernelEntries = ['./convergence', './machine', './pipeline', './testing', './workflow'];

/** Entries of engines that keep runs in a database, and of those who make engines or read journals: they share most of what they are. */
const storeEntries = [
  './engine',
  './engines/dbos',
  './engines/environment',
  './engines/postgres',
  './engines/sqlite',
  './journal',
];

/** The rooms that every entry on the kernel needs most of. */
const kernelRooms = ['termination', 'stop', 'engines/port', 'engines/memory', 'run'];

for (const published of publishedPackages()) {
  const isProgram = published.exports === undefined;
  const written = isProgram ? await bundleProgram(published) : await bundleLibrary(published);
  removeStale(published.folder, written);
  if (isProgram) copyTemplates();
  else hideInnerDeclarations(published);
}

/**
 * Returns the files that were written. The root entry shares nothing with the others: a chunk costs more to load than the
 * code in it, and classes are recognised by marks. Nothing is minified, so that stack traces lead to readable code.
 */
async function bundleLibrary(published: PublishedPackage): Promise<ReadonlySet<string>> {
  const entries = entryPoints(published);
  const sourcesOf = (belongs: (entry: EntryPoint) => boolean): string[] =>
    entries.filter(belongs).map(({ source }) => source);
  const options = { ...always, absWorkingDir: published.folder, platform: 'neutral', packages: 'external' } as const;
  const [alone, stores, main, onKernel] = await Promise.all([
    build({ ...options, entryPoints: [...sourcesOf(isAlone), ...threadSources(published)] }),
    build({ ...options, entryPoints: sourcesOf(isStore), splitting: true }),
    build({ ...options, entryPoints: sourcesOf(isMain), splitting: true, plugins: [oneRuntime(published)] }),
    build({
      ...options,
      entryPoints: entries.filter(isOnKernel).map((entry) => ({ in: entry.source, out: outputOf(published, entry) })),
      splitting: true,
      plugins: [oneKernel(published)],
      // The kernel is listed file by file; which of them are needed is for the entries to say.
      logOverride: { 'ignored-bare-import': 'silent' },
    }),
  ]);
  const place = { folder: join(published.folder, 'dist'), scratch: join(root, '.cache/first-use') };
  const laidOut = layOutByFirstUse(main.outputFiles, place);
  return write([...alone.outputFiles, ...stores.outputFiles, ...laidOut, ...onKernel.outputFiles]);
}

function isMain({ subpath }: EntryPoint): boolean {
  return subpath === '.';
}

function isOnKernel({ subpath }: EntryPoint): boolean {
  return subpath.startsWith('./adapters/') || kernelEntries.includes(subpath);
}

function isStore({ subpath }: EntryPoint): boolean {
  return storeEntries.includes(subpath);
}

function isAlone(entry: EntryPoint): boolean {
  return !isMain(entry) && !isOnKernel(entry) && !isStore(entry);
}

/** Where the script of an entry goes, below `dist` and without its extension. */
function outputOf({ folder }: PublishedPackage, { source }: EntryPoint): string {
  return relative(join(folder, 'src'), source).replace(/\.ts$/, '');
}

/**
 * The code that the root entry loads with the first run comes as one file: the runtime of runs and the loop of agents share most of
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
 * Puts the kernel into one chunk. esbuild makes a chunk of what the same entries reach, which by itself would be a dozen small
 * ones; so every entry, also those that are loaded on demand, reaches the whole kernel. Unused code is still left out.
 */
function oneKernel({ folder }: PublishedPackage): Plugin {
  const resolveDir = join(folder, 'src');
  const kernel = kernelRooms.flatMap((room) => sourcesBelow(resolveDir, room)).map((file) => `import './${file}';`);
  return {
    name: 'one-kernel',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /.*/ }, ({ kind, path, resolveDir: from }) => {
        if (path === 'kernel:') return { path, namespace: 'kernel', sideEffects: true };
        if (kind === 'entry-point') return { path, namespace: 'entry' };
        return kind === 'dynamic-import' && /\/(runtime|loop)\.js$/.test(path)
          ? { path: join(from, path), namespace: 'entry' }
          : undefined;
      });
      onLoad({ filter: /.*/, namespace: 'kernel' }, () => ({ contents: kernel.join('\n'), resolveDir }));
      onLoad({ filter: /.*/, namespace: 'entry' }, ({ path }) => ({
        contents: `import 'kernel:';\nexport * from '${path}';`,
        resolveDir,
      }));
    },
  };
}

/** Packages that are bundled into the program: their many small files take long to load, and users need not install them. */
function bundledPackages(): Readonly<Record<string, string>> {
  const files = {
    '@hono/node-server': '@hono/node-server/dist/index.mjs',
    hono: 'hono/dist/index.js',
    'hono/ws': 'hono/dist/helper/websocket/index.js',
    yaml: 'yaml/browser/index.js',
    zod: 'zod/index.js',
  };
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(root, 'node_modules', file)]));
}

/**
 * Commands are loaded on demand, so each is a chunk of its own, with what several need in chunks that they share. Our own
 * library is bundled in from its sources, which leaves out what no command uses. Other packages stay outside.
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
    platform: 'node',
    packages: 'external',
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    alias: { ...Object.fromEntries(alias), ...bundledPackages() },
  });
  return write([...outputFiles, ...(await bundlePages())]);
}

function write(files: readonly OutputFile[]): ReadonlySet<string> {
  for (const file of files) {
    const { path } = file;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withoutSentences(file), { mode: path.endsWith('/main.js') ? 0o755 : 0o644 });
  }
  return new Set(files.map(({ path }) => path));
}

/** Leaves out what the declarations beside the scripts say: the sentence above a member, where it stands on a line of its own. */
function withoutSentences({ path, contents }: OutputFile): string | Uint8Array {
  if (!path.endsWith('.js')) return contents;
  const text = new TextDecoder().decode(contents);
  const shorter = text.replace(/^ *\/\*\* .* \*\/\n/gm, '');
  const codeOf = (script: string): string => transformSync(script, { minifyWhitespace: true }).code;
  if (codeOf(shorter) !== codeOf(text)) throw new Error(`${path}: a line that looks like a comment is none.`);
  return shorter;
}

/** Code that runs in a thread of its own is loaded by its file name, so it cannot be part of another bundle. */
function threadSources({ folder }: PublishedPackage): readonly string[] {
  return sourcesBelow(join(folder, 'src'), '.')
    .filter((file) => file.endsWith('-thread.ts'))
    .map((file) => join(folder, 'src', file));
}

/** The sources of a room without tests, with their paths from the folder. */
function sourcesBelow(folder: string, room: string): readonly string[] {
  return readdirSync(join(folder, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|test-d|fixture)\.ts$/.test(file))
    .map((file) => join(room, file));
}

/** Removes scripts and maps of an earlier build, and declarations whose source is gone. */
function removeStale(folder: string, written: ReadonlySet<string>): void {
  for (const file of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, 'dist', file);
    const staleScript = /\.(js|map)$/.test(file) && !written.has(path);
    const staleDeclaration =
      file.endsWith('.d.ts') && !existsSync(join(folder, 'src', file.replace(/\.d\.ts$/, '.ts')));
    if (staleScript || staleDeclaration) rmSync(path);
  }
}

/** Tests and the CLI are checked against all declarations; npm packs only those that the public ones lead to. */
function hideInnerDeclarations(published: PublishedPackage): void {
  const dist = join(published.folder, 'dist');
  const needed = reachableDeclarations(entryPoints(published).map(({ types }) => types));
  const hidden = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.d.ts') && !needed.has(join(dist, file)),
  );
  writeFileSync(join(dist, '.npmignore'), hidden.map((file) => `/${file}\n`).join(''));
}
