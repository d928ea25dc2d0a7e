/** The projects that `fullstop init` writes: the files of each template, and the examples that it is made of. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedPackages, root } from './published-packages.js';

const source = join(root, 'packages/cli/templates');
const target = join(root, 'packages/cli/dist/templates');

/** The examples that a template begins with: they are tested in more ways than a template could be. */
const examples: Readonly<Record<string, string>> = { 'back-end': 'examples/back-end', chat: 'examples/chat' };

type Versions = Readonly<Record<string, string>>;

/** Copies all templates to where the program finds them. */
export function copyTemplates(): void {
  rmSync(target, { recursive: true, force: true });
  for (const name of readdirSync(source)) {
    const folder = join(target, name);
    const example = examples[name];
    if (example !== undefined) cpSync(join(root, example), folder, { recursive: true, filter: isSource });
    cpSync(join(source, name), folder, { recursive: true, filter: isSource });
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest)) writeFileSync(manifest, withVersions(readFileSync(manifest, 'utf8')));
  }
}

function isSource(path: string): boolean {
  return !/[/\\](dist|node_modules)$/.test(path);
}

/** Every `*` as the version that this repository is tested with. */
function withVersions(text: string): string {
  const manifest = JSON.parse(text) as { readonly dependencies: Versions; readonly devDependencies: Versions };
  const known = knownVersions();
  const fill = (names: Versions): Versions =>
    Object.fromEntries(Object.keys(names).map((name) => [name, versionOf(known, name)]));
  const { dependencies, devDependencies } = manifest;
  const filled = { ...manifest, dependencies: fill(dependencies), devDependencies: fill(devDependencies) };
  return `${JSON.stringify(filled, undefined, 2)}\n`;
}

function knownVersions(): Versions {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly devDependencies: Versions;
  };
  const own = publishedPackages().map(({ folder }) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Versions;
    return [name, version];
  });
  return { ...devDependencies, ...Object.fromEntries(own) };
}

function versionOf(known: Versions, name: string): string {
  const version = known[name];
  if (version === undefined)
    throw new Error(`A template needs ${name}, of which the root package.json has no version.`);
  return version;
}
