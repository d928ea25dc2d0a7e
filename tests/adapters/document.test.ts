import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withAdapterTables } from '../../scripts/adapters-document.js';
import { adapterColumns } from './columns.js';

test('the tables in the docs are those that were lived through', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/adapters.md'), 'utf8');
  expect(withAdapterTables(document, adapterColumns)).toBe(document);
});
