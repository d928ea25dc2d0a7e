/** Writes the page into `dist`: one script, one style sheet, one document. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const page = join(import.meta.dirname, 'page');
const dist = join(import.meta.dirname, 'dist');

await build({
  entryPoints: [join(page, 'page.tsx'), join(page, 'page.css')],
  outdir: dist,
  bundle: true,
  minify: true,
  format: 'esm',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
});
await copyFile(join(page, 'page.html'), join(dist, 'page.html'));
