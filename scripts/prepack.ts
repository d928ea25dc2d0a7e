/** Run by npm in the package folder before it packs: brings the texts of the root along. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './published-packages.js';

for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, file), join(process.cwd(), file));
