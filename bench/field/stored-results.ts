import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const resultsFolder: string = join(import.meta.dirname, '../results');

/** The latest findings of a suite, made here or before. */
export function readResults<TResults>(name: string): TResults | undefined {
  const file = join(resultsFolder, `${name}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TResults) : undefined;
}

export function writeResults(name: string, results: object): void {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, `${name}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
}

/** The names of all suites that have results. */
export function resultNames(): readonly string[] {
  if (!existsSync(resultsFolder)) return [];
  return readdirSync(resultsFolder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}
