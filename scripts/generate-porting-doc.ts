/** Part of `npm run docs`: brings the tables in docs/coming-from-ai-sdk.md up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { portingTables } from '../tests/porting/porting-tables.js';
import { withPortingTables } from './porting-document.js';
import { root } from './published-packages.js';

const path = join(root, 'docs/coming-from-ai-sdk.md');
writeFileSync(path, withPortingTables(readFileSync(path, 'utf8'), portingTables));
