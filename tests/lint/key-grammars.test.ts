import { expect, test } from 'vitest';
import { findGrammar, findGrammarInSources } from './find-key-grammars.js';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are lines of source, not texts to fill in
const planted = [
  "const [first] = scope.split('/');",
  "const parent = scope.slice(0, entry.scope.lastIndexOf('/'));",
  "const [word] = (entry.key ?? '').split(':');",
  'if (path.startsWith(`${unit}/`)) return;',
  "const plain = name.replace(/[#~]\\d+$/, '');",
  "const plain = name.replace(/#\\d+$/, '');",
  'const [, visit] = /#(\\d+)/.exec(unit) ?? [];',
  'if (/^model:\\d+$/.test(text)) count += 1;',
  'const [, type] = /^(script|set):(.+)$/.exec(text) ?? [];',
  'return /^cycle \\d+$/.test(text);',
  "if (text.startsWith('tool:')) return;",
  "return { type: 'step', key: `tool:${place}`, plan };",
  'await context.step(`when:${kind}`, ask);',
  'const scope = `${unit.scope}/${name}`;',
  'return times > 1 ? `${name}#${times}` : name;',
  'const id = `request:${requestId}`;',
];

test.each(planted)('finds %s', (line) => {
  expect(findGrammar(`const before = 1;\n${line}\n`)).toMatchObject([{ line: 2 }]);
});

const harmless = [
  "const parts = path.split('.');",
  "import { makeScope } from '../run/journal/scope-path.js';",
  'throw new FullstopError(`${builder}: ${message}`);',
  "const [file, name] = module.split('#');",
  "if (entry.key === 'folded') return;",
];

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above

test.each(harmless)('lets %s pass', (line) => {
  expect(findGrammar(line)).toEqual([]);
});

test('no source but the grammars makes or reads a scope or key', () => {
  expect(findGrammarInSources()).toEqual([]);
});
