import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const importPattern = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g;

/** The declarations that the given ones lead to, themselves included. Nobody who imports the package ever reads another. */
export function reachableDeclarations(entries: readonly string[]): ReadonlySet<string> {
  const found = new Set(entries);
  for (const file of found) {
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(importPattern)) found.add(join(dirname(file), `${path}.d.ts`));
  }
  return found;
}
