/** Writes the page into `dist`: one script, one style sheet, one document. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');

await build({
  entryPoints: [join(folder, 'page.tsx'), join(folder, 'page.css')],
  outdir: dist,
  bundle: true,
  minify: true,
  format: 'esm',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
});
await copyFile(join(folder, 'page.html'), join(dist, 'page.html'));
