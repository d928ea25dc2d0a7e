#!/usr/bin/env node
// Stands in for npm in a walk: packages that are not published yet come from their tarballs, others in the versions that are tested here. An install that
// another walk has made in the same situation is taken from there: npm does it once.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { InstallCache } from './install-cache.js';

const { tarballs, versions, overrides, frameworks, program, cache } = JSON.parse(
  readFileSync(process.env.WALK_PACKAGES, 'utf8'),
);
const args = process.argv.slice(2);
const isInstall = args[0] === 'install';
const names = args.slice(1).filter((arg) => !arg.startsWith('-'));

if (isInstall && existsSync('package.json')) prepareManifest();
const asked = isInstall ? [...new Set(args.flatMap(spec))] : args;
const quiet = isInstall ? ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'] : [];
// The sets that adapters are tested with are installed in this way too.
if (names.some((name) => frameworks.includes(name))) quiet.push('--legacy-peer-deps');
const prefix = args.includes('--global') ? process.env.npm_config_prefix : undefined;
const kept = isInstall ? new InstallCache(cache, asked, prefix) : undefined;
if (kept?.restore() === true) process.exit(0);
const { status } = spawnSync(process.execPath, [program, ...asked, ...quiet], { stdio: 'inherit' });
if (status === 0) kept?.keep();
process.exit(status ?? 1);

/** Ours together, because one needs the other. */
function spec(arg) {
  if (arg in tarballs) return Object.values(tarballs);
  return arg in versions ? [`${arg}@${versions[arg]}`] : [arg];
}

/** A project that was written by a template names versions that are not published yet; what others need deep inside is pinned too. */
function prepareManifest() {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const list of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(list ?? {})) if (name in tarballs) list[name] = `file:${tarballs[name]}`;
  for (const name of names) if (name in overrides) manifest.overrides = { ...manifest.overrides, ...overrides[name] };
  writeFileSync('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
}
