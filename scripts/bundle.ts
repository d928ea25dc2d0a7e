/** Second half of the build: one JavaScript file per entry point, beside the declarations that tsc wrote. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { entryPoints, type PublishedPackage, publishedPackages } from './published-packages.js';

for (const published of publishedPackages()) {
  const written = await bundle(published);
  removeStale(published.folder, written);
}

/**
 * Gives the files that were written. Nothing is shared between entry points: a chunk costs more to load than the code in it,
 * and classes are recognised by marks. Nothing is minified: stack traces and source maps lead to the packed sources.
 */
async function bundle(published: PublishedPackage): Promise<ReadonlySet<string>> {
  const { outputFiles } = await build({
    absWorkingDir: published.folder,
    entryPoints: [...entryPoints(published).map(({ source }) => source), ...threadSources(published)],
    outbase: 'src',
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    packages: 'external',
    sourcemap: true,
    sourcesContent: false,
    write: false,
  });
  for (const { path, contents } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  return new Set(outputFiles.map(({ path }) => path));
}

/** Code that runs in a thread of its own is loaded by its file name, so it cannot be part of another bundle. */
function threadSources({ folder }: PublishedPackage): readonly string[] {
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
  return sources.filter((file) => file.endsWith('-thread.ts')).map((file) => join('src', file));
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
