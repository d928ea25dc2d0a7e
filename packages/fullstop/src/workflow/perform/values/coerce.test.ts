import { describe, expect, it } from 'vitest';
import { writeJsonText } from '../../../template/json-text.js';
import { inputsFromText } from '../../read-inputs.js';
import { jsonInText } from '../agent/json-in-text.js';
import { readDuration } from '../wait.js';
import { coerceInput, coerceMapping, coerceOutput } from './coerce.js';

const asJson = (value: Parameters<typeof writeJsonText>[0]): string => writeJsonText(value);

describe('reading rendered text', () => {
  it.each([
    ['007', '7'],
    ['1_000', '1000'],
    ['  12 ', '12'],
    ['1.50', '1.5'],
    ['5.', '5.0'],
    ['.5', '0.5'],
    ['1.5e3', '1500.0'],
    ['1e5', '"1e5"'],
    ['-0', '0'],
    ['+4', '4'],
    ['True', 'true'],
    ['None', 'null'],
    ['"hi"', '"hi"'],
    ["['x']", '"[\'x\']"'],
    ['[1, 2.0]', '[1, 2.0]'],
    ['{bad', '"{bad"'],
    [' keep me ', '" keep me "'],
    ['inf', '"inf"'],
    ['1__0', '"1__0"'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ])('a final output %j becomes %s', (text, json) => {
    expect(asJson(coerceOutput(text))).toBe(json);
  });

  it.each([
    ['007', '"007"'],
    ['5', '5'],
    ['true', 'true'],
    ['True', '"True"'],
    ['null', 'null'],
    ['', '""'],
    ['1e2', '100.0'],
  ])('a mapped input %j becomes %s', (text, json) => {
    expect(asJson(coerceMapping(text))).toBe(json);
  });

  it.each([
    ['TRUE', 'true'],
    ['Null', 'null'],
    ['007', '7'],
    ['1.5', '1.5'],
    ['[1, 2]', '[1, 2]'],
    ['{bad', '"{bad"'],
    ['1e5', '"1e5"'],
    ['', '""'],
  ])('an input of the command line %j becomes %s', (text, json) => {
    expect(asJson(coerceInput(text))).toBe(json);
  });

  it('takes inputs by name, and refuses what has none', () => {
    const inputs = [
      { type: 'text', given: 'a=x=y' },
      { type: 'json', given: 'b=1.0' },
    ] as const;
    expect(inputsFromText(inputs)).toBe('{"a": "x=y", "b": 1.0}');
    expect(() => inputsFromText([{ type: 'text', given: 'novalue' }])).toThrow('has no value; write name=value');
    expect(() => inputsFromText([{ type: 'json', given: 'a={' }])).toThrow('is not JSON');
  });

  it.each([
    ['{"n": 1.0}', '{"n": 1.0}'],
    ['```json\n{"n": 1}\n```', '{"n": 1}'],
    ['Sure:\n```\n{"n": 1}\n```\nand\n```\n{"n": 2}\n```', '{"n": 1}'],
    ['Here it is: {"n": 4}', '{"n": 4}'],
    ['[1, 2]', '{"result": [1, 2]}'],
    ['{"code": "```x```"}', '{"code": "```x```"}'],
  ])('finds the JSON in %j', (text, json) => {
    expect(asJson(jsonInText(text) ?? null)).toBe(json);
  });

  it('finds none in words', () => {
    expect(jsonInText('well yes')).toBeUndefined();
    expect(jsonInText('a { b')).toBeUndefined();
  });

  it.each([
    ['1', 1000],
    ['500ms', 500],
    [' 1.5 m ', 90_000],
    ['24h', 86_400_000],
  ])('a duration %j is %d ms', (text, milliseconds) => {
    expect(readDuration(text)).toBe(milliseconds);
  });

  it.each([
    ['soon', 'not a valid duration'],
    ['0', 'must be > 0'],
    ['25h', '24h cap'],
    ['-1s', 'not a valid duration'],
  ])('a duration %j is refused', (text, why) => {
    expect(() => readDuration(text)).toThrow(why);
  });
});
