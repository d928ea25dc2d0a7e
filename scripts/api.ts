/** Compares the committed API reports, docs/surface.md and docs/reference with the built packages; with `--write` it brings them up to date. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { apiReport } from './api-report.js';
import { entryPoints, type PublishedPackage, publishedPackages, root } from './published-packages.js';
import { readNames } from './reference/read-names.js';
import { referencePages } from './reference/reference-pages.js';
import { surfacePage } from './surface.js';

/** Report text by file; the empty text means that the file should not exist. */
function reportsOf(published: PublishedPackage): Map<string, string> {
  const folder = join(published.folder, 'api');
  const reports = new Map<string, string>();
  for (const file of existsSync(folder) ? readdirSync(folder) : []) reports.set(join(folder, file), '');
  for (const entry of entryPoints(published)) {
    reports.set(join(folder, `${entry.name}.api.md`), apiReport(published, entry));
  }
  return reports;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  if (text === '') rmSync(file);
  else writeFileSync(file, text);
}

/** The page of names, made from the reports. */
function surfaceOf(reports: ReadonlyMap<string, string>): [string, string] {
  const named = publishedPackages().flatMap((published) =>
    entryPoints(published).map(({ name, subpath }) => ({
      specifier: published.name + subpath.slice(1),
      report: reports.get(join(published.folder, 'api', `${name}.api.md`)) ?? '',
    })),
  );
  return [join(root, 'docs/surface.md'), surfacePage(named, names)];
}

/** A name without a sentence shows nothing where people look first: on hover. */
function namesWithoutSentence(): readonly string[] {
  return names.flatMap(({ specifier, names: each }) =>
    each.filter(({ sentence }) => sentence === '').map(({ name }) => `${name} of ${specifier}`),
  );
}

const names = readNames();
const apiReports = new Map(publishedPackages().flatMap((published) => [...reportsOf(published)]));
const pages = (await referencePages(names)).map(
  ({ file, text }) => [join(root, 'docs/reference', file), text] as const,
);
const reports = [...apiReports, surfaceOf(apiReports), ...pages];
const stale = reports.filter(([file, text]) => text !== (existsSync(file) ? readFileSync(file, 'utf8') : ''));

if (process.argv.includes('--write')) {
  for (const [file, text] of stale) write(file, text);
  console.log(`API reports: ${reports.length}, changed: ${stale.length}`);
} else if (stale.length > 0) {
  for (const [file, text] of stale) {
    const committed = existsSync(file) ? readFileSync(file, 'utf8') : '';
    console.error(createTwoFilesPatch(relative(root, file), 'as built', committed, text));
  }
  console.error('The public surface differs from the committed reports. If that is intended: npm run api');
  process.exitCode = 1;
} else {
  console.log(`API reports: ${reports.length}, all up to date`);
}

const silent = namesWithoutSentence();
if (silent.length > 0) {
  console.error(`Public names need a sentence of TSDoc; these have none: ${silent.join(', ')}`);
  process.exitCode = 1;
}
