import { type InnerFolder, outside, pages, type Room, rooms } from './rooms.js';

interface Pattern {
  readonly group: readonly string[];
  readonly message: string;
}

const source = 'packages/fullstop/src';
const everyRoom = `**/{${[...rooms.map(({ folder }) => folder), 'cli'].join(',')}}/**`;

const noIndex: Pattern = {
  group: ['../index.js', '../../index.js', '../../../index.js'],
  message: 'Import the file itself, not the index above it.',
};

/** The text of `biome.imports.json` as data: one override per room, and after it one per inner folder with a wall. */
export function importRules(): unknown {
  return {
    $schema: './node_modules/@biomejs/biome/configuration_schema.json',
    overrides: [
      ...rooms.flatMap(overridesOf),
      override([`${source}/*.ts`], [packagesPattern('An entry', [])]),
      ...outside.map(({ includes, message }) =>
        override(includes, [{ group: ['**/packages/**', '**/fullstop/src/**'], message }]),
      ),
      pagesOverride(),
    ],
  };
}

function pagesOverride(): unknown {
  const allowed = pages.imports.map((path) => `!**/${path}`);
  const message = 'Pages may import the files that scripts/rooms.ts names for them only.';
  return override(
    [`${pages.folder}/**`],
    [
      { group: ['**/cli/**', '**/fullstop/**', ...allowed], message },
      { group: ['fullstop', 'fullstop/**', 'node:*'], message: 'Pages run in a browser: types are imported by path.' },
    ],
  );
}

function overridesOf(room: Room): readonly unknown[] {
  const whole = override([`${source}/${room.folder}/**`], patternsOf(room));
  const inner = room.inner ?? [];
  return [whole, ...inner.map((folder) => innerOverride(room, folder))];
}

/** The last override that matches a file decides alone, so that of an inner folder repeats what holds for its room. */
function innerOverride(room: Room, inner: InnerFolder): unknown {
  const folder = `${room.folder}/${inner.name}`;
  const wall = {
    group: [`**/{${inner.never.join(',')}}/**`],
    message: `${folder} may not import ${listed(inner.never, 'or')}.`,
  };
  const packages = inner.packages ?? room.packages;
  const patterns = patternsOf({ ...room, ...(packages === undefined ? {} : { packages }) });
  return override([`${source}/${folder}/**`], [...patterns, wall]);
}

function patternsOf(room: Room): readonly Pattern[] {
  if (room.imports === 'every room') {
    const message = 'The library imports neither the CLI nor itself by name.';
    return [{ group: ['**/cli/**', 'fullstop', 'fullstop/**', '@fullstop/**'], message }, noIndex];
  }
  const allowed = room.imports.map((path) => (path.endsWith('.js') ? `!**/${path}` : `!**/${path}/**`));
  const sentence = room.imports.length === 0 ? 'no other room' : `${listed(room.imports, 'and')} only`;
  return [
    { group: [everyRoom, ...allowed], message: `${room.folder} may import ${sentence}.` },
    packagesPattern(room.folder, room.packages ?? []),
    noIndex,
  ];
}

function packagesPattern(who: string, packages: readonly string[]): Pattern {
  const allowed = packages.map((name) => (name === 'node:' ? '!:NODE:' : `!${name}`));
  const names = packages.map((name) => (name === 'node:' ? 'the modules of Node' : name));
  const message =
    names.length === 0
      ? `${who} imports no package and no node: module.`
      : `${who} imports no package but ${listed(names, 'and')}.`;
  return { group: ['**', '!:PATH:', ...allowed], message };
}

function override(includes: readonly string[], patterns: readonly Pattern[]): unknown {
  const noRestrictedImports = { level: 'error', options: { patterns } };
  return { includes, linter: { rules: { style: { noRestrictedImports } } } };
}

function listed(names: readonly string[], word: 'and' | 'or'): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}
