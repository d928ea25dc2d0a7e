/** `npm run docs:build`: the documentation as a site with a search that needs no server, in `.cache/site/dist`. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../published-packages.js';
import { llmsFullText, llmsText } from './llms-text.js';
import { type SitePage, sitePages } from './site-pages.js';

const cache = join(root, '.cache/site');
const pages = join(cache, 'pages');
const dist = join(cache, 'dist');

/** Installs the builder into the cache, so that `npm ci` of the repository does not grow by it. */
function install(): void {
  const mark = join(cache, 'installed-lock.json');
  const lock = readFileSync(join(root, 'site/package-lock.json'), 'utf8');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  mkdirSync(cache, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    cpSync(join(root, 'site', file), join(cache, file));
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: cache, stdio: 'inherit' });
  writeFileSync(mark, lock);
}

function writePages(all: readonly SitePage[]): void {
  rmSync(pages, { recursive: true, force: true });
  for (const { path, text } of all) write(join(pages, path), text);
  cpSync(join(root, 'docs/pictures'), join(pages, 'pictures'), { recursive: true });
  cpSync(join(root, 'site/config.mjs'), join(pages, '.vitepress/config.mjs'));
  cpSync(join(root, 'site/tables.css'), join(pages, '.vitepress/tables.css'));
  write(join(pages, '.vitepress/sidebar.json'), JSON.stringify(sidebarOf(all)));
  write(join(pages, 'public/llms.txt'), llmsText(all));
  write(join(pages, 'public/llms-full.txt'), llmsFullText(all));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The sections of the first page with the pages that they link to, each where it comes first. */
function sidebarOf(all: readonly SitePage[]): readonly object[] {
  const [first, ...rest] = (all.find(({ path }) => path === 'index.md')?.text ?? '').split(/^## /m);
  const seen = new Set<string>(first === undefined ? [] : ['index.md']);
  return rest.flatMap((section) => {
    const targets = [...section.matchAll(/\]\(\.\/([\w/-]+\.md)\)/g)].map(([, path = '']) => path);
    const items = targets.flatMap((path) => {
      const page = all.find((each) => each.path === path);
      if (page === undefined || seen.has(path)) return [];
      seen.add(path);
      return [{ text: page.title, link: `/${path.replace(/\.md$/, '')}` }];
    });
    return items.length === 0 ? [] : [{ text: section.split('\n')[0], items }];
  });
}

/** A site that asks other hosts for anything would tell them who reads it. */
function checkRequests(): void {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(html|css)$/.test(file));
  const outside =
    /<(?:script|img|iframe)[^>]+src="https?:|<link(?![^>]*rel="canonical")[^>]+href="https?:|url\(["']?https?:|@import ["']https?:/;
  const asking = files.filter((file) => outside.test(readFileSync(join(dist, file), 'utf8')));
  if (asking.length > 0) throw new Error(`These pages would ask other hosts: ${asking.join(', ')}`);
  console.log(`${files.filter((file) => file.endsWith('.html')).length} pages in ${dist}, no request to other hosts.`);
}

install();
writePages(sitePages());
const program = join(cache, 'node_modules/vitepress/bin/vitepress.js');
execFileSync(process.execPath, [program, 'build', pages, '--outDir', dist], { cwd: cache, stdio: 'inherit' });
checkRequests();
