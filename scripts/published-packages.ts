import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = resolve(dirname(fileURLToPath(import.meta.url)), '..');

export interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
  /** Absent in a package that is a program and no library. */
  readonly exports?: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  /** The programs that it installs, by name. */
  readonly bin?: Readonly<Record<string, string>>;
}

export interface EntryPoint {
  /** `index` for the root entry, else the subpath with dashes. */
  readonly name: string;
  readonly subpath: string;
  /** The source file, absolute. */
  readonly source: string;
  /** The declaration file, absolute. */
  readonly types: string;
}

/** The workspace packages that are not private. */
export function publishedPackages(): readonly PublishedPackage[] {
  return readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .filter((manifest) => manifest.private !== true);
}

/** The typed entries of the exports map, in its order. */
export function entryPoints({ exports, folder }: PublishedPackage): readonly EntryPoint[] {
  return Object.entries(exports ?? {}).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return [];
    const name = subpath === '.' ? 'index' : subpath.slice(2).replaceAll('/', '-');
    const source = join(folder, target.types.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts'));
    return [{ name, subpath, source, types: join(folder, target.types) }];
  });
}

/** The source files of a package's programs, absolute. What it installs only starts the one that is built. */
export function programs({ bin, folder }: PublishedPackage): readonly string[] {
  return bin === undefined ? [] : [join(folder, 'src/main.ts')];
}
