import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { harmless, oneLine } from './foreign-text.js';
import { makeStyle, wantsColours, wantsGlyphs } from './style.js';
import { table } from './table.js';
import { fitted, fittedInside, widthOf, wrapped } from './wrap.js';

describe('widthOf', () => {
  it('counts columns, not characters', () => {
    expect(widthOf('abc')).toBe(3);
    expect(widthOf(makeStyle(true).red('abc'))).toBe(3);
    expect(widthOf('漢字')).toBe(4);
    expect(widthOf('e\u0301')).toBe(1);
  });
});

describe('fitted', () => {
  it('never takes more columns than there are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
        expect(widthOf(fitted(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('fittedInside', () => {
  it('keeps both ends', () => {
    expect(fittedInside('group_of_many.left_member', 12)).toBe('gro…t_member');
    expect(fittedInside('short', 12)).toBe('short');
  });

  it('never takes more columns than there are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 8, max: 30 }), (text, columns) => {
        expect(widthOf(fittedInside(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('wrapped', () => {
  it('breaks between words and keeps them all', () => {
    const text = 'one two three four five six seven eight nine ten';
    const lines = wrapped(text, 12);
    expect(lines.join(' ')).toBe(text);
    expect(lines.every((line) => line.length <= 12)).toBe(true);
  });
});

describe('texts of others', () => {
  it('cannot move the cursor or change colours', () => {
    expect(harmless('a\u001b[2Jb\nc\u0007')).toBe('a[2Jb\nc');
    expect(oneLine('a\u001b[31m\r\n  b')).toBe('a [31m b');
  });
});

describe('colours', () => {
  it.each([
    ['on a terminal', { wish: undefined, env: {}, isTerminal: true }, true],
    ['in a pipe', { wish: undefined, env: {}, isTerminal: false }, false],
    ['with NO_COLOR', { wish: undefined, env: { NO_COLOR: '1' }, isTerminal: true }, false],
    ['with an empty NO_COLOR', { wish: undefined, env: { NO_COLOR: '' }, isTerminal: true }, true],
    ['with FORCE_COLOR in a pipe', { wish: undefined, env: { FORCE_COLOR: '1' }, isTerminal: false }, true],
    ['on a dumb terminal', { wish: undefined, env: { TERM: 'dumb' }, isTerminal: true }, false],
    ['with --color always in a pipe', { wish: 'always', env: { NO_COLOR: '1' }, isTerminal: false }, true],
    ['with --color never', { wish: 'never', env: { FORCE_COLOR: '1' }, isTerminal: true }, false],
  ])('%s', (_, question, wanted) => {
    expect(wantsColours(question)).toBe(wanted);
  });

  it('gives way to ASCII where nothing else is safe', () => {
    expect(wantsGlyphs({ LANG: 'C' })).toBe(false);
    expect(wantsGlyphs({ LANG: 'en_US.UTF-8' })).toBe(true);
    expect(wantsGlyphs({ TERM: 'dumb' })).toBe(false);
  });
});

describe('table', () => {
  const columns = [
    { title: 'ID' },
    { title: 'COUNT', align: 'right' as const },
    { title: 'SUMMARY', yields: 1, least: 10 },
  ];
  const rows = [
    ['a', '1', 'a long summary that does not fit everywhere'],
    ['bbb', '222', 'short'],
  ];

  it('aligns its columns', () => {
    expect(table({ columns, rows, width: 100 })).toEqual([
      'ID   COUNT  SUMMARY',
      'a        1  a long summary that does not fit everywhere',
      'bbb    222  short',
    ]);
  });

  it('cuts the column that yields on a narrow terminal, and leaves it out on a very narrow one', () => {
    expect(table({ columns, rows, width: 26 })[1]).toBe('a        1  a long summar…');
    expect(table({ columns, rows, width: 12 })).toEqual(['ID   COUNT', 'a        1', 'bbb    222']);
  });

  it('never gets wider than the terminal as long as what must stay fits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ maxLength: 6 }), fc.string({ maxLength: 6 }), fc.string())),
        fc.integer({ min: 20, max: 80 }),
        (cells, width) => {
          for (const line of table({ columns, rows: cells, width })) expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
