import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where a package of a provider is: in the user's project first, then where this program is installed. Throws where it is in neither. */
export function findPackage(name: string, cwd: string): string {
  try {
    return createRequire(join(cwd, 'fullstop.js')).resolve(name);
  } catch {
    return createRequire(import.meta.url).resolve(name);
  }
}

/** Imports packages of providers from where they are found. */
export function importFrom(cwd: string): (name: string) => Promise<unknown> {
  const require = createRequire(join(cwd, 'fullstop.js'));
  return (name) => {
    try {
      return import(pathToFileURL(require.resolve(name)).href);
    } catch {
      return import(name);
    }
  };
}
