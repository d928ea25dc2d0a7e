import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandTable } from '../command-line/command-table.js';
import { completionScript } from '../command-line/completion-script.js';
import { programHelp } from '../command-line/help.js';
import { harmless, oneLine, shownJson, shownText } from './foreign-text.js';
import { makeStyle } from './style.js';

const hostile = [
  '\u001b[2J\u001b[H',
  '\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
  '\u001b]52;c;ZXZpbA==\u0007',
  '\u009b31m',
  'ok\rFAKE',
  '\u202egnp.exe\u202c',
  '\u2066x\u2069',
  'a\u2028b',
  '\u{e0041}\u{e0042}',
  '\u0000\u0007\u0008\u007f',
];
const obeyed = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]|[\u{e0000}-\u{e007f}]/u;
const commands = [
  '::set-output name=x::y',
  '  ::add-mask::x',
  '##vso[task.setvariable variable=x]y',
  '##[group]',
  'a ##VSO[x]',
];
const isCommand = /^\s*::|##(?:vso|teamcity)?\[/im;

describe('text of others', () => {
  it.each(hostile)('%j has nothing left that a terminal obeys', (text) => {
    for (const clean of [harmless(text), oneLine(text), shownText(text, true), shownText(text, false)])
      expect(clean).not.toMatch(obeyed);
    expect(JSON.stringify(JSON.parse(shownJson(JSON.stringify({ text }))))).toBe(JSON.stringify({ text }));
    expect(shownJson(JSON.stringify({ text }))).not.toMatch(obeyed);
  });

  it.each(commands)('%j is no command to a job', (text) => {
    expect(shownText(`fine\n${text}\n`, false)).not.toMatch(isCommand);
    expect(shownText(`fine\n\u001b[1m${text}\u001b[22m\n`, true)).not.toMatch(/::(?=set|add)|##(?=\[|v|V)/);
    const json = shownJson(`${JSON.stringify({ text, [text]: 1 }, null, 2)}\n`);
    expect(json).not.toMatch(isCommand);
    expect(JSON.parse(json)).toEqual({ text, [text]: 1 });
  });

  it('keeps line breaks, tabs, letters of every language and what is joined', () => {
    const text = 'a\tb\nnaïve 日本語 👩‍👩‍👧 می‌خواهم std::vector ## heading # [x]';
    expect(shownText(text, false)).toBe(text);
    expect(harmless('a\r\nb')).toBe('a\nb');
  });

  it('keeps our colours where there are colours, and drops those of others', () => {
    const style = makeStyle(true);
    expect(shownText(style.red('x'), true)).toBe(style.red('x'));
    expect(shownText(style.red('x'), false)).toBe('x');
    expect(shownText('\u001b[8mhidden\u001b[5;41m', true)).toBe('[8mhidden[5;41m');
  });

  it('is harmless however it is put together, and JSON keeps its value', () => {
    const text = fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hostile, ...commands, '\n', ' ', '#', ':')))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (given) => {
        const shown = shownText(given, false);
        expect(shown).not.toMatch(obeyed);
        expect(shown).not.toMatch(isCommand);
        const json = shownJson(JSON.stringify([given], null, 2));
        expect(json).not.toMatch(obeyed);
        expect(json).not.toMatch(isCommand);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify([given])));
      }),
      { numRuns: 1000 },
    );
  });
});

it('leaves what we write ourselves as it is', async () => {
  const all = await Promise.all(Object.values(commandTable).map(async ({ load }) => (await load()).command));
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionScript(shell, all);
    expect(shownText(script, false)).toBe(script);
  }
  const help = programHelp({ style: makeStyle(true), columns: 100 });
  expect(shownText(help, true)).toBe(help);
});
