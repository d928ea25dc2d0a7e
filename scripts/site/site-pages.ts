/** The documentation as the pages of a site: the same Markdown, with links that lead to pages of the site. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { root } from '../published-packages.js';

export interface SitePage {
  /** Its path on the site, such as `agents.md`. */
  readonly path: string;
  readonly title: string;
  /** False for pages about the repository itself. */
  readonly isDocumentation: boolean;
  /** Its first paragraph, without markup. */
  readonly summary: string;
  readonly text: string;
}

/** Pages besides docs/ that are linked from it. */
const others: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
};

/** All pages. */
export function sitePages(): readonly SitePage[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const sources = docs.filter((file) => file.endsWith('.md')).map((file) => join('docs', file));
  return [...sources.sort(), ...Object.keys(others)].map((source) => {
    const text = readFileSync(join(root, source), 'utf8');
    return {
      path: sitePath(source),
      title: titleOf(text),
      isDocumentation: !(source in others),
      summary: summaryOf(text),
      text: forSite(source, text),
    };
  });
}

/** Where a file of the repository is on the site. */
function sitePath(source: string): string {
  if (source === 'docs/README.md') return 'index.md';
  return others[source] ?? source.slice('docs/'.length);
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? 'Fullstop';
}

function summaryOf(text: string): string {
  const paragraph =
    text
      .replace(/^# .*$/m, '')
      .trim()
      .split(/\n\s*\n/)[0] ?? '';
  return /^[`|<#-]/.test(paragraph) ? '' : withoutLinks(paragraph).replace(/\s+/g, ' ');
}

function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

/** Code stays as it is; elsewhere links are changed, and what the site would execute is not. */
function forSite(source: string, text: string): string {
  const parts = text.split(/(^```[\s\S]*?^```$|`[^`\n]*`)/gm);
  return parts
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('{{', '&#123;&#123;')))
    .join('')
    .replace(/\[((?:[^\]`]|`[^`\n]*`)*)\]\(([^)\s]+)\)/g, (whole, words: string, target: string) =>
      linkOnSite(source, { whole, words, target }),
    );
}

interface Link {
  readonly whole: string;
  readonly words: string;
  readonly target: string;
}

/** A link to a page of the site; a file that only the repository has is named instead. */
function linkOnSite(source: string, { whole, words, target }: Link): string {
  if (/^[a-z]+:|^#/.test(target)) return whole;
  const [path = '', anchor] = target.split('#');
  const file = normalize(join(dirname(source), path));
  if (file.startsWith('docs/pictures/')) return whole;
  const isPage = file.endsWith('.md') && (file.startsWith('docs/') || file in others);
  if (!isPage) return `${words} (\`${file}\`)`;
  const to = relative(dirname(sitePath(source)), sitePath(file));
  return `[${words}](${to.startsWith('.') ? to : `./${to}`}${anchor === undefined ? '' : `#${anchor}`})`;
}
