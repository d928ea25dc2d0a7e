import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Fills the blocks of README and docs with the examples that they name, and the text blocks with their output.

const root = join(import.meta.dirname, '..');
const documents = ['README.md', 'ARCHITECTURE.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
const blockPattern =
  /^```(tsx?|js|yaml)\n((?:\/\/|#) ((?:examples|packages)\/[\w./-]+\.(?:tsx?|mjs|yaml)))\n[\s\S]*?^```\n(\n?```text\n[\s\S]*?^```$)?/gm;

type BlockParts = readonly [language: string, title: string, example: string, output: string | undefined];

for (const document of documents.filter((name) => name.endsWith('.md'))) {
  const path = join(root, document);
  const before = readFileSync(path, 'utf8');
  const after = before.replace(blockPattern, (_, ...[language, title, example, output]: BlockParts) => {
    const block = `\`\`\`${language}\n${title}\n${readFileSync(join(root, example), 'utf8')}\`\`\`\n`;
    if (output === undefined) return block;
    return `${block}${output.startsWith('\n') ? '\n' : ''}\`\`\`text\n${run(example)}\`\`\``;
  });
  if (after !== before) writeFileSync(path, after);
}

function run(example: string): string {
  return execFileSync(process.execPath, ['--import', 'tsx', example], { cwd: root, encoding: 'utf8' });
}
