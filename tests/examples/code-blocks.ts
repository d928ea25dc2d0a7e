import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A block of a document with code, the example it claims to be, and the output that the document shows for it. */
export interface CodeBlock {
  readonly document: string;
  readonly line: number;
  /** Named in the first line of the block: `// examples/first.ts`. */
  readonly example: string | undefined;
  readonly code: string;
  /** The `text` block right after it, if there is one. */
  readonly output: string | undefined;
}

const blockPattern =
  /^```(?:tsx?|(?=js\n\/\/ examples)js|(?=yaml\n# examples)yaml)\n([\s\S]*?)^```\n(?:\n?```text\n([\s\S]*?)^```$)?/gm;

/** All blocks of TypeScript of the README, the map and docs/, and those of JavaScript and YAML that name an example. */
export function codeBlocks(root: string): readonly CodeBlock[] {
  return documents(root).flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    return [...text.matchAll(blockPattern)].map(({ 1: body = '', 2: output, index }) => {
      const [first = '', ...rest] = body.split('\n');
      const example = /^(?:\/\/|#) ((?:examples|packages)\/[\w./-]+\.(?:tsx?|mjs|yaml))$/.exec(first)?.[1];
      const line = text.slice(0, index).split('\n').length;
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
