/** The pages of the dashboard as files that the command line serves: one document, and scripts and styles named by their content. */
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type OutputFile } from 'esbuild';
import { root } from './published-packages.js';

const web = join(root, 'packages/web');
const target = join(root, 'packages/cli/dist/dashboard');

/** Builds the pages; what an earlier build left is removed, since names change with contents. */
export async function bundlePages(): Promise<readonly OutputFile[]> {
  rmSync(target, { recursive: true, force: true });
  const { outputFiles, metafile } = await build({
    absWorkingDir: web,
    entryPoints: [
      { in: 'src/main.tsx', out: 'app' },
      { in: 'src/styles.css', out: 'app' },
    ],
    outdir: join(target, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    jsx: 'automatic',
    minify: true,
    metafile: true,
    write: false,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const builtFrom = (source: string): string => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
    if (found === undefined) throw new Error(`The pages have nothing built from ${source}.`);
    return basename(found[0]);
  };
  const document = readWeb('index.html')
    .replace('{{script}}', builtFrom('src/main.tsx'))
    .replace('{{styles}}', builtFrom('src/styles.css'));
  const pages = [...outputFiles, written('index.html', document), written('icon.svg', readWeb('icon.svg'))];
  return [...pages, ...(await bundleReport())];
}

/** The page of one run as one script and one style sheet, which a report has inside of its document. */
async function bundleReport(): Promise<readonly OutputFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: web,
    entryPoints: [
      { in: 'src/report/main.tsx', out: 'report' },
      { in: 'src/styles.css', out: 'report' },
    ],
    outdir: join(root, 'packages/cli/dist/report'),
    bundle: true,
    format: 'iife',
    target: 'es2022',
    platform: 'browser',
    jsx: 'automatic',
    minify: true,
    write: false,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles;
}

function readWeb(name: string): string {
  return readFileSync(join(web, 'src', name), 'utf8');
}

function written(name: string, text: string): OutputFile {
  return { path: join(target, name), contents: new TextEncoder().encode(text), hash: '', text };
}
