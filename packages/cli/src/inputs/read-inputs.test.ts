import { describe, expect, it } from 'vitest';
import { type DeclaredInput, readInputs, refuseMissing, undeclaredInputs } from './read-inputs.js';

function declared(types: Readonly<Record<string, DeclaredInput['type']>>): Map<string, DeclaredInput> {
  return new Map(Object.entries(types).map(([name, type]) => [name, { type, required: true }]));
}

const read = (input: readonly string[], json: readonly string[] = []): unknown =>
  JSON.parse(readInputs({ input, 'input-json': json }, new Map()));
const one = (type: DeclaredInput['type'], text: string): unknown =>
  (JSON.parse(readInputs({ input: [`a=${text}`], 'input-json': [] }, declared({ a: type }))) as { a: unknown }).a;

describe('readInputs', () => {
  it('makes one object of all inputs, of which the last of a name counts', () => {
    expect(read(['a=1', 'b=x=y', 'a=2', 'c=true'], ['d={"e":[1]}'])).toEqual({
      a: 2,
      b: 'x=y',
      c: true,
      d: { e: [1] },
    });
  });

  it('leaves a text that is declared as one', () => {
    for (const text of ['4711', 'true', 'null', '[1]', '']) expect(one('string', text)).toBe(text);
  });

  it('reads numbers, truth values, lists and objects as they are declared', () => {
    expect(['5', '-1.5', '1e3', '1_000'].map((text) => one('number', text))).toEqual([5, -1.5, 1000, 1000]);
    expect(['true', 'False', 'TRUE'].map((text) => one('boolean', text))).toEqual([true, false, true]);
    expect(one('array', '["a"]')).toEqual(['a']);
    expect(one('object', '{"a": 1}')).toEqual({ a: 1 });
    expect(one('number', 'null')).toBeNull();
  });

  it('keeps the text of a number: 1.0 stays 1.0', () => {
    expect(readInputs({ input: ['a=1.0'], 'input-json': [] }, declared({ a: 'number' }))).toBe('{"a": 1.0}');
  });

  it('refuses what does not fit the declaration', () => {
    expect(() => one('number', 'two')).toThrow('The input "a" must be a number, not "two".');
    expect(() => one('number', 'true')).toThrow('must be a number');
    expect(() => one('boolean', 'yes')).toThrow('The input "a" must be true or false, not "yes".');
    expect(() => one('array', 'a,b')).toThrow('must be a list as JSON, such as ["a", "b"], not "a,b".');
    expect(() => one('object', '[]')).toThrow('must be an object as JSON');
  });

  it('refuses what has no name, and what is no JSON', () => {
    expect(() => read(['novalue'])).toThrow('write name=value');
    expect(() => read([], ['a={'])).toThrow('is not JSON');
  });
});

describe('undeclaredInputs', () => {
  it('names what the file does not declare, and what may be meant', () => {
    expect(undeclaredInputs('{"titl": 1, "copies": 2}', declared({ title: 'string', copies: 'number' }))).toEqual([
      'the file declares no input "titl" (did you mean "title"?)',
    ]);
  });

  it('says nothing where a file declares none', () => {
    expect(undeclaredInputs('{"a": 1}', new Map())).toEqual([]);
  });
});

describe('refuseMissing', () => {
  it('says what is missing and how to give it', () => {
    const inputs = new Map<string, DeclaredInput>([
      ['question', { type: 'string', required: true, description: 'What to ask' }],
      ['count', { type: 'number', required: true }],
      ['tone', { type: 'string', required: false }],
      ['usual', { type: 'string', required: true, default: '"x"' }],
    ]);
    expect(() => refuseMissing('{}', inputs)).toThrow(
      'The workflow needs more inputs:\n  question (string): What to ask\n  count (number)\nPass them: -i question=TEXT -i count=NUMBER',
    );
    expect(() => refuseMissing('{"question": "x", "count": 1}', inputs)).not.toThrow();
  });
});
