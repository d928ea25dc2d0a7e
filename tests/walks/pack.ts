import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { publishedPackages, root } from '../../scripts/published-packages.js';
import { execute } from '../packaging/execute.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with the packed packages and with an npm that installs them. */
    walkTools: string;
  }
}

type Versions = Readonly<Record<string, string>>;

/** Before the walks: packs what is built, once for all of them. */
export async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-walks-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  cpSync(join(import.meta.dirname, 'npm-shim.mjs'), join(bin, 'npm'));
  cpSync(join(import.meta.dirname, 'install-cache.js'), join(bin, 'install-cache.js'));
  chmodSync(join(bin, 'npm'), 0o755);
  const tarballs: Record<string, string> = {};
  for (const published of publishedPackages()) {
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [packed] = JSON.parse(await execute('npm', pack, published.folder)) as [{ readonly filename: string }];
    tarballs[published.name] = join(folder, packed.filename);
  }
  const frameworks = sets
    .flatMap(({ dependencies }) => Object.keys(dependencies ?? {}))
    .filter((name) => name !== 'zod');
  const given = { versions: testedVersions(), overrides: testedOverrides(), frameworks, program: npmProgram() };
  const packages = { tarballs, ...given, cache: join(folder, 'cache') };
  writeFileSync(join(folder, 'packages.json'), JSON.stringify(packages));
  provide('walkTools', folder);
  return () => rmSync(folder, { recursive: true });
}

interface Manifest {
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly overrides?: Versions;
}

/** The packages that adapters are tested with. */
const sets: readonly Manifest[] = ['langgraph', 'mastra', 'openai-agents'].map((set) =>
  manifestOf(join(root, 'tests/adapters/sets', set)),
);

/** The versions of the root and of the sets. */
function testedVersions(): Versions {
  const ofSets = sets.map(({ dependencies }) => dependencies ?? {});
  return Object.assign({}, ...ofSets, manifestOf(root).devDependencies) as Versions;
}

/** Packages that another needs deep inside in one version only, by its name. */
function testedOverrides(): Readonly<Record<string, Versions>> {
  const pairs = sets.flatMap(({ dependencies, overrides }) =>
    overrides === undefined ? [] : Object.keys(dependencies ?? {}).map((name) => [name, overrides] as const),
  );
  return Object.fromEntries(pairs.filter(([name]) => name !== 'zod'));
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The script that `npm` starts. */
function npmProgram(): string {
  const prefix = execFileSync('npm', ['prefix', '--global'], { encoding: 'utf8' }).trim();
  const candidates = [process.env['npm_execpath'], join(prefix, 'lib/node_modules/npm/bin/npm-cli.js')];
  const found = candidates.find((file) => file?.endsWith('npm-cli.js') && isThere(file));
  if (found === undefined) throw new Error(`There is no npm-cli.js at ${candidates.join(' or ')}.`);
  return found;
}

function isThere(file: string): boolean {
  return readdirSync(join(file, '..')).includes('npm-cli.js');
}
