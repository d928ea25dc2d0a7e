import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A TypeScript block of a document, the example it claims to be, and the output that the document shows for it. */
export interface CodeBlock {
  readonly document: string;
  readonly line: number;
  /** Named in the first line of the block: `// examples/first.ts`. */
  readonly example: string | undefined;
  readonly code: string;
  /** The `text` block right after it, if there is one. */
  readonly output: string | undefined;
}

const blockPattern = /^```tsx?\n([\s\S]*?)^```\n(?:\n?```text\n([\s\S]*?)^```$)?/gm;

/** All TypeScript and TSX blocks of the README, the map and docs/. */
export function codeBlocks(root: string): readonly CodeBlock[] {
  return documents(root).flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    return [...text.matchAll(blockPattern)].map(([, body = '', output], index) => {
      const [first = '', ...rest] = body.split('\n');
      const example = /^\/\/ ((?:examples|packages)\/[\w./-]+\.tsx?)$/.exec(first)?.[1];
      const line = lineOf(text, index);
      return { document, line, example, code: rest.join('\n'), output };
    });
  });
}

/** The example programs, with their paths from the root; examples of tests are run by vitest. */
export function examples(root: string): readonly string[] {
  return readdirSync(join(root, 'examples'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `examples/${name}`);
}

function documents(root: string): readonly string[] {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', 'ARCHITECTURE.md', ...docs.map((name) => `docs/${name}`)];
}

function lineOf(text: string, index: number): number {
  const starts = [...text.matchAll(/^```tsx?$/gm)].map((match) => match.index);
  return text.slice(0, starts[index]).split('\n').length;
}
