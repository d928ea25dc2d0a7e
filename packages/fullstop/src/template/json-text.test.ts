import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../termination/json.js';
import { readJsonText, valueFromJson, valueToJson, writeJsonText } from './json-text.js';
import { TemplateError } from './template-error.js';

describe('reading and writing JSON text', () => {
  it.each([
    '{"b": 1, "a": 1.0, "10": 2, "2": [true, false, null]}',
    '[12345678901234567890, -0.0, 1e+16, 1e-07, 0.30000000000000004, 123456789.12345679]',
    '{"__proto__": {"constructor": "x"}, "\\u0000k": ""}',
    '"\\u00e9 \\ud83d\\ude00 \\" \\\\ \\n \\u0001"',
    '[NaN, Infinity, -Infinity]',
    '{}',
  ])('gives %s back unchanged', (text) => {
    expect(writeJsonText(readJsonText(text))).toBe(text);
  });

  it('agrees with the language about any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const text = JSON.stringify(json);
        expect(JSON.parse(writeJsonText(readJsonText(text)))).toEqual(JSON.parse(text));
        // JSON text has no -0.
        expect(JSON.parse(JSON.stringify(valueToJson(valueFromJson(json as JsonValue))))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('indents, and leaves other letters as they are when asked to', () => {
    const value = readJsonText('{"ä": [1, {}], "b": []}');
    expect(writeJsonText(value, { indent: 2, ascii: false })).toBe('{\n  "ä": [\n    1,\n    {}\n  ],\n  "b": []\n}');
  });

  it.each([
    ['', 'Expecting value: line 1 column 1 (char 0)', 1, 1],
    ['[1,]', 'Expecting value: line 1 column 4 (char 3)', 1, 4],
    ['{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)", 1, 6],
    ['{\n1: 2}', 'Expecting property name enclosed in double quotes: line 2 column 1 (char 2)', 2, 1],
    ['[1] x', 'Extra data: line 1 column 5 (char 4)', 1, 5],
    ['"a', 'Unterminated string starting at: line 1 column 1 (char 0)', 1, 1],
    ['"\\x"', 'Invalid \\escape: line 1 column 2 (char 1)', 1, 2],
    ['01', 'Extra data: line 1 column 2 (char 1)', 1, 2],
  ])('refuses %j with the place', (text, detail, line, column) => {
    const read = (): unknown => readJsonText(text);
    expect(read).toThrow(TemplateError);
    expect(read).toThrow(expect.objectContaining({ detail, line, column }));
  });

  it('refuses what is nested too deeply', () => {
    expect(() => readJsonText('['.repeat(100_000))).toThrow(TemplateError);
  });
});
