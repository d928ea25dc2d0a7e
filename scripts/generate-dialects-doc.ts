/** Part of `npm run docs`: brings the tables in docs/dialects.md up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allDialects } from '../packages/fullstop/src/dialects/all-dialects.js';
import { withDialectTables } from './dialect-tables.js';
import { root } from './published-packages.js';

const path = join(root, 'docs/dialects.md');
writeFileSync(path, withDialectTables(readFileSync(path, 'utf8'), allDialects));
