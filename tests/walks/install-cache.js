// What an install leaves behind, kept for the next walk that asks for exactly the same in the same situation.
import { createHash, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The parts of a manifest that decide what is installed. */
const parts = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'overrides'];

/** Where an install writes, and the entry of the cache that has what it would write. */
export class InstallCache {
  #entry;
  #place;

  /** `prefix` is the folder of a global install; otherwise it is about the folder that one is in. */
  constructor(cache, args, prefix) {
    this.#place = prefix ?? '.';
    const asked = [args, prefix === undefined ? dependenciesOf(this.#place) : 'global', lockOf(this.#place)];
    this.#entry = join(cache, createHash('sha256').update(JSON.stringify(asked)).digest('hex'));
  }

  /** Puts what the same install left elsewhere into its place; false when there was none yet. */
  restore() {
    if (!existsSync(this.#entry)) return false;
    rmSync(join(this.#place, 'node_modules'), { recursive: true, force: true });
    const own = manifestOf(this.#place);
    linkAll(this.#entry, this.#place);
    const installed = manifestOf(this.#entry);
    if (Object.keys(installed).length === 0) return true;
    const found = Object.fromEntries(parts.flatMap((part) => (part in installed ? [[part, installed[part]]] : [])));
    write(join(this.#place, 'package.json'), { ...own, ...found });
    return true;
  }

  /** Keeps what an install has left. */
  keep() {
    const made = `${this.#entry}-${randomUUID()}`;
    mkdirSync(made, { recursive: true });
    for (const name of ['bin', 'lib', 'node_modules'])
      if (existsSync(join(this.#place, name))) linkAll(join(this.#place, name), join(made, name));
    for (const name of ['package.json', 'package-lock.json'])
      if (existsSync(join(this.#place, name))) copyFileSync(join(this.#place, name), join(made, name));
    // Of two that made the same, the first counts.
    if (existsSync(this.#entry)) rmSync(made, { recursive: true });
    else renameSync(made, this.#entry);
  }
}

function dependenciesOf(folder) {
  const manifest = manifestOf(folder);
  return parts.map((part) => manifest[part] ?? {});
}

/** The packages that are there already, as npm wrote them down. */
function lockOf(folder) {
  const file = join(folder, 'package-lock.json');
  if (!existsSync(file)) return {};
  const { '': _root, ...packages } = JSON.parse(readFileSync(file, 'utf8')).packages;
  return packages;
}

function manifestOf(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function write(file, value) {
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** A copy whose files are the same files on disk, but for those that npm writes to in place. */
function linkAll(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkAll(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name.endsWith('.json') && /^\.?package/.test(entry.name)) copyFileSync(source, target);
    else linkSync(source, target);
  }
}
