import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, examples } from './code-blocks.js';

const root = join(import.meta.dirname, '../..');
const blocks = codeBlocks(root);
const outputs = new Map<string, string>();

function outputOf(example: string): string {
  const known = outputs.get(example);
  if (known !== undefined) return known;
  const output = execFileSync(process.execPath, ['--import', 'tsx', example], { cwd: root, encoding: 'utf8' });
  outputs.set(example, output);
  return output;
}

describe('examples', () => {
  it.each(examples(root))('%s runs and prints something', (example) => {
    expect(outputOf(example)).not.toBe('');
  });
});

describe('code blocks of README and docs', () => {
  it('there are some', () => {
    expect(blocks.length).toBeGreaterThan(0);
  });

  it.each(blocks.map((block) => [`${block.document}:${block.line}`, block] as const))(
    '%s is a whole example',
    (_, block) => {
      expect(block.example, 'the first line must name the example: // examples/….ts').toBeDefined();
      expect(block.code).toBe(readFileSync(join(root, block.example ?? ''), 'utf8'));
    },
  );

  it.each(
    blocks
      .filter((block) => block.output !== undefined)
      .map((block) => [`${block.document}:${block.line}`, block] as const),
  )('%s prints what the document shows', (_, block) => {
    expect(outputOf(block.example ?? '')).toBe(block.output);
  });
});
