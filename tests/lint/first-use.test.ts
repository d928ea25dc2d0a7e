import { expect, test } from 'vitest';
import { putFirst } from '../../scripts/first-use.js';

/** Where a part of a text is. */
function rangeOf(text: string, part: string): { readonly start: number; readonly end: number } {
  const start = text.indexOf(part);
  return { start, end: start + part.length };
}

const text = `import { d } from "./d.js";
// src/table.ts
var table = makeTable();
function makeTable() {
  function inner() { return 1; }
  return [inner, late()];
}
// src/late.ts
async function late() {
  return d;
}
class Kept {
  method() { return 2; }
}
export { Kept, makeTable };
`;

const makeTable = 'function makeTable() {\n  function inner() { return 1; }\n  return [inner, late()];\n}';

test('a function that was called comes first and in parentheses, under the name of its source', () => {
  const called = [makeTable, 'async function late() {\n  return d;\n}'].map((part) => rangeOf(text, part));
  expect(putFirst(text, called).split('\n')).toEqual([
    '// src/table.ts',
    'var makeTable = (function () {',
    '  function inner() { return 1; }',
    '  return [inner, late()];',
    '});',
    '// src/late.ts',
    'var late = (async function () {',
    '  return d;',
    '});',
    'import { d } from "./d.js";',
    '// src/table.ts',
    'var table = makeTable();',
    '',
    '// src/late.ts',
    '',
    'class Kept {',
    '  method() { return 2; }',
    '}',
    'export { Kept, makeTable };',
    '',
  ]);
});

test('functions inside of others, methods and what was not called stay in place', () => {
  const called = ['function inner() { return 1; }', 'method() { return 2; }'].map((part) => rangeOf(text, part));
  expect(putFirst(text, called)).toBe(text);
  expect(putFirst(text, [])).toBe(text);
});

test('a function keeps its name and may call itself', () => {
  const source = 'function countDown(n) { return n === 0 ? countDown.name : countDown(n - 1); }';
  const moved = putFirst(`${source}\n`, [rangeOf(source, source)]);
  expect(new Function(`${moved} return countDown(3);`)()).toBe('countDown');
});
