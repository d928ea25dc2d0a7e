import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { fuzzLoad } from './fuzz-load.fixture.js';

const repository = new URL('../../../../../', import.meta.url);

function yamlFilesBelow(folder: string): string[] {
  const path = fileURLToPath(new URL(folder, repository));
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.yaml')).map((name) => readFileSync(`${path}${name}`, 'utf8'));
}

const seeds = [...yamlFilesBelow('tests/parity/cases/'), ...yamlFilesBelow('examples/workflows/')];
const count = Number(process.env['FULLSTOP_FUZZ_COUNT'] ?? 10_000);
const seed = Number(process.env['FULLSTOP_FUZZ_SEED'] ?? 1);

it(`loads or refuses ${count} broken files, always with places`, { timeout: 300_000 + count * 10 }, () => {
  const { failures, loaded, refused } = fuzzLoad({ seeds, count, seed });
  expect(failures.slice(0, 3)).toEqual([]);
  expect(loaded + refused).toBe(count);
  expect(Math.min(loaded, refused)).toBeGreaterThan(count / 50);
});
