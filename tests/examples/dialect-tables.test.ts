import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allDialects } from '../../packages/fullstop/src/dialects/all-dialects.js';
import { withDialectTables } from '../../scripts/dialect-tables.js';
import { root } from '../../scripts/published-packages.js';

it('docs/dialects.md shows the words and kinds of today', () => {
  const document = readFileSync(join(root, 'docs/dialects.md'), 'utf8');
  expect(document, 'docs/dialects.md is stale: npm run docs').toBe(withDialectTables(document, allDialects));
});
