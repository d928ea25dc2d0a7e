/** `npm run try:runtimes`: the agent of the README and a run on SQLite with Bun and Deno, from npm's binaries and from packed packages. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { publishedPackages, root } from './published-packages.js';

const folder = join(root, '.cache/runtimes');
const library = publishedPackages().find(({ name }) => name === 'fullstop');
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const runtimes = { bun: ['bun', '1.4.4'], deno: ['deno', '2.9.6', 'run', '--allow-all'] } as const;
const expected: readonly (readonly [program: string, args: readonly string[], start: string])[] = [
  ['agent.mjs', [], 'loop_detected'],
  ['durable.mjs', [], 'interaction_pending'],
  ['durable.mjs', ['approve'], 'natural_end'],
];

function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

if (library === undefined) throw new Error('There is no package fullstop.');
mkdirSync(folder, { recursive: true });
const [packed] = JSON.parse(
  run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], library.folder),
) as [{ readonly filename: string }];
writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
const packages = ['zod', '@ai-sdk/openai', 'libsql'].map((name) => `${name}@${devDependencies[name]}`);
const binaries = Object.values(runtimes).map(([name, version]) => `${name}@${version}`);
run('npm', ['install', '--no-audit', '--no-fund', join(folder, packed.filename), ...packages, ...binaries], folder);
await build({
  entryPoints: ['agent', 'durable'].map((name) => join(root, `examples/start/${name}.ts`)),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  format: 'esm',
});
for (const [name, [binary, version, ...args]] of Object.entries(runtimes)) {
  const store = join(folder, '.fullstop');
  if (existsSync(store)) rmSync(store, { recursive: true });
  for (const [program, more, start] of expected) {
    const printed = run(join(folder, 'node_modules/.bin', binary), [...args, program, ...more], folder);
    if (!printed.startsWith(start)) throw new Error(`${name} ${program} printed ${printed} instead of ${start}`);
  }
  console.log(`${name} ${version}: an agent, and a run on SQLite that pauses and is resumed by another process`);
}
