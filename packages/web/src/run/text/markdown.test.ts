import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, type Piece, readMarkdown } from './markdown.js';

function textOf(blocks: readonly Block[]): string {
  const words = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');
  return blocks
    .map((block) => {
      // Shown as the label of the code.
      if (block.type === 'code') return block.language + block.text;
      if (block.type === 'list') return block.items.map(words).join('');
      if (block.type === 'table') return block.rows.flat().map(words).join('');
      return 'pieces' in block ? words(block.pieces) : '';
    })
    .join('');
}

describe('readMarkdown', () => {
  it('reads headings, lists, code, tables and marks', () => {
    expect(readMarkdown('# Plan\n- **one**\n- `two`\n\n```ts\nlet a;\n```\n| a | b |\n|---|---|\n| 1 | 2 |')).toEqual([
      { type: 'heading', level: 1, pieces: [{ type: 'text', text: 'Plan' }] },
      { type: 'list', ordered: false, items: [[{ type: 'strong', text: 'one' }], [{ type: 'code', text: 'two' }]] },
      { type: 'code', language: 'ts', text: 'let a;' },
      {
        type: 'table',
        rows: [
          [[{ type: 'text', text: 'a' }], [{ type: 'text', text: 'b' }]],
          [[{ type: 'text', text: '1' }], [{ type: 'text', text: '2' }]],
        ],
      },
    ]);
  });

  it('keeps markup and addresses that act as text', () => {
    const hostile = '<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>';
    expect(readMarkdown(hostile)).toEqual([{ type: 'paragraph', pieces: [{ type: 'text', text: hostile }] }]);
  });

  it('loses no letter or digit of any text, and links nowhere but to the web', () => {
    const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'B', '*', '**', '`', '\n', '[', '](', ')', '> ', '|', '~', ' ', 'é')),
        (parts) => {
          const text = parts.join('');
          expect(letters(textOf(readMarkdown(text)))).toBe(letters(text));
        },
      ),
    );
  });

  it.each(['````a', '~~~é', '~~~\na\n~~~~b', '```\na\n``` b\n```', '``` a B'])(
    'loses nothing of a fence: %j',
    (text) => {
      const letters = (each: string): string => each.replace(/[^\p{L}\p{N}]/gu, '');
      expect(letters(textOf(readMarkdown(text)))).toBe(letters(text));
    },
  );

  it('reads a long hostile text at once', () => {
    const blocks = readMarkdown(`${'*'.repeat(20_000)}${'['.repeat(20_000)}${'`'.repeat(9999)}`);
    expect(blocks.length).toBeGreaterThan(0);
  });
});
