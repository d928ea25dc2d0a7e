import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The frameworks are installed into a cache, each set in exact versions of its own: `tests/adapters/install.ts`. */
export const cacheFolder: string = join(import.meta.dirname, '../../.cache/adapters');

// biome-ignore lint/suspicious/noExplicitAny: the types of frameworks are only there where they are installed
export type AnyModule = any;

/** Loads a package of a set. */
export async function loadFramework(set: string, name: string): Promise<AnyModule> {
  const require = createRequire(join(cacheFolder, set, 'package.json'));
  const file = require.resolve(name);
  return import(/* @vite-ignore */ pathToFileURL(file).href);
}
