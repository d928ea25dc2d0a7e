import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { entryPoints, publishedPackages, root } from './published-packages.js';
import { fileShape, largestCircle, type Sources, widestFolder } from './shape.js';
import { declarationsIn } from './surface.js';

/** One measured figure, with the most that it may be. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly limit?: number;
  /** Where the figure comes from. */
  readonly detail?: string;
}

const limits = { lines: 400, folder: 25, circle: 5, rootNames: 250, libraryBytes: 5_000_000, pageBytes: 250_000 };

/** The shape of the repository: sources from the working tree, names from the API reports, sizes as npm would pack them. */
export function readShape(): readonly Figure[] {
  const sources = readSources();
  const { files, median, p90, max } = fileShape(sources);
  const widest = widestFolder(sources);
  const circle = largestCircle(sources);
  return [
    { name: 'source files', value: files },
    { name: 'median lines', value: median },
    { name: 'p90 lines', value: p90 },
    { name: 'longest file', value: max, limit: limits.lines },
    { name: 'widest folder', value: widest.files, limit: limits.folder, detail: widest.folder },
    { name: 'largest import circle', value: circle.length, limit: limits.circle, detail: circle.join('\n') },
    ...exportedNames(),
    ...unpackedSizes(),
    pagesSize(),
  ];
}

/** True when a figure is beyond its limit. */
export function isBeyond({ value, limit = Number.POSITIVE_INFINITY }: Figure): boolean {
  return value > limit;
}

/** One line per figure; what a long detail lists comes only when the limit is exceeded. */
export function formatFigure(figure: Figure): string {
  const { name, value, limit, detail = '' } = figure;
  const bound = limit === undefined ? '' : ` of at most ${limit.toLocaleString('en')}`;
  const line = `${isBeyond(figure) ? '✗' : ' '} ${name.padEnd(32)} ${value.toLocaleString('en')}${bound}`;
  if (detail === '') return line;
  return detail.includes('\n') ? `${line}\n${detail.replace(/^/gm, '      ')}` : `${line} (${detail})`;
}

/** The sources of all packages without tests and their fixtures. */
function readSources(): Sources {
  const sources = new Map<string, string>();
  for (const entry of readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })) {
    const path = entry.replaceAll('\\', '/');
    const isSource = /^[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.(test|test-d|fixture)\.tsx?$/.test(path);
    if (isSource) sources.set(path, readFileSync(join(root, 'packages', path), 'utf8'));
  }
  return sources;
}

function exportedNames(): readonly Figure[] {
  return publishedPackages().flatMap((published) =>
    entryPoints(published).map(({ name, subpath }) => {
      const report = readFileSync(join(published.folder, 'api', `${name}.api.md`), 'utf8');
      const names = new Set(declarationsIn(report).map((declaration) => declaration.name));
      const limit = subpath === '.' ? { limit: limits.rootNames } : {};
      return { name: `names in ${published.name}${subpath.slice(1)}`, value: names.size, ...limit };
    }),
  );
}

/** Scripts and styles of the dashboard as a browser would load them, all pages together. */
function pagesSize(): Figure {
  const folder = join(root, 'packages/cli/dist/dashboard/assets');
  const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(join(folder, name))).length);
  const value = sizes.reduce((sum, size) => sum + size, 0);
  return { name: 'gzipped bytes of the dashboard', value, limit: limits.pageBytes };
}

function unpackedSizes(): readonly Figure[] {
  return publishedPackages().map(({ name, folder, exports }) => {
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const output = execFileSync('npm', pack, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [{ unpackedSize }] = JSON.parse(output) as [{ readonly unpackedSize: number }];
    const limit = exports === undefined ? {} : { limit: limits.libraryBytes };
    return { name: `unpacked bytes of ${name}`, value: unpackedSize, ...limit };
  });
}
