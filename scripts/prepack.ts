/** Run by npm in the package folder before it packs: brings the texts of the root along, and the documentation with the library. */
import { copyFileSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './published-packages.js';
import { llmsText } from './site/llms-text.js';
import { sitePages } from './site/site-pages.js';

const folder = process.cwd();
/** Pictures, what was measured on one machine, and the list of names, which the declarations beside it say better. */
const leftOut = ['benchmarks.md', 'pictures', 'surface.md'];

for (const file of ['README.md', 'LICENSE']) copyFileSync(join(root, file), join(folder, file));

// Assistants of editors read what is installed, in the version that is installed.
if (basename(folder) === 'fullstop') {
  const docs = join(folder, 'docs');
  rmSync(docs, { recursive: true, force: true });
  cpSync(join(root, 'docs'), docs, { recursive: true, filter: (file) => !leftOut.includes(basename(file)) });
  const pages = sitePages().filter(({ isDocumentation, path }) => isDocumentation && !leftOut.includes(basename(path)));
  writeFileSync(join(docs, 'llms.txt'), llmsText(pages));
}
