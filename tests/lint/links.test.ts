import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publishedDocuments } from './published-documents.js';

const root = resolve(import.meta.dirname, '../..');

/** The links of a document to files of the repository, outside of code. */
function linksOf(text: string): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of a document, as they are made of its headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}

/** The links of a document that lead nowhere. */
function brokenLinks(document: string, text: string): readonly string[] {
  return linksOf(text).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(root, document) : join(root, dirname(document), decodeURI(path));
    if (!existsSync(target)) return true;
    if (anchor === undefined || !target.endsWith('.md')) return false;
    return !anchorsOf(path === '' ? text : readFileSync(target, 'utf8')).has(anchor);
  });
}

describe('links of the documents', () => {
  it.each(publishedDocuments(root))('of %s lead somewhere', (document) => {
    expect(brokenLinks(document, readFileSync(join(root, document), 'utf8'))).toEqual([]);
  });

  it('are found where they lead nowhere', () => {
    const text = '# One\n[a](missing.md) [b](#one) [c](#two) `[d](code.md)` [e](https://example.com)';
    expect(brokenLinks('README.md', text)).toEqual(['missing.md', '#two']);
  });
});
