/** Part of `npm run docs`: brings the tables in docs/adapters.md up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterColumns } from '../tests/adapters/columns.js';
import { withAdapterTables } from './adapters-document.js';
import { root } from './published-packages.js';

const path = join(root, 'docs/adapters.md');
writeFileSync(path, withAdapterTables(readFileSync(path, 'utf8'), adapterColumns));
