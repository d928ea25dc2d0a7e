import { describe, expect, it } from 'vitest';
import { readJsonText, writeJsonText } from '../../../template/json-text.js';
import type { OutputField } from '../../schema/record-types.js';
import { checkOutput, unwrapScalars } from './check-output.js';

const field = (type: OutputField['type'], more: Partial<OutputField> = {}): OutputField =>
  ({ type, required: true, nullable: false, ...more }) as OutputField;

function complaints(json: string, fields: Readonly<Record<string, OutputField>>): readonly string[] {
  return checkOutput(readJsonText(json), new Map(Object.entries(fields))).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

describe('checking an output', () => {
  it.each([
    ['{}', { n: field('number') }, 'n: Missing required output field: n'],
    ['{"n": true}', { n: field('number') }, "n: Output field 'n' has wrong type: expected number, got boolean"],
    ['{"n": null}', { n: field('number') }, "n: Output field 'n' must not be null"],
    ['{"n": 0}', { n: field('number', { minimum: 1 }) }, "n: Output field 'n' is below minimum 1"],
    ['{"n": 2.5}', { n: field('number', { maximum: 2 }) }, "n: Output field 'n' is above maximum 2"],
    ['{"s": "é"}', { s: field('string', { minLength: 2 }) }, "s: Output field 's' is shorter than minLength 2"],
    ['{"s": "abc"}', { s: field('string', { maxLength: 2 }) }, "s: Output field 's' is longer than maxLength 2"],
    ['{"s": "b"}', { s: field('string', { enum: ['a'] }) }, 's: Output field \'s\' must be one of "a"'],
    ['{"s": "x1"}', { s: field('string', { pattern: '^\\d' }) }, "s: Output field 's' does not match pattern '^\\d'"],
    [
      '{"l": [1, "x"]}',
      { l: field('array', { items: field('number') }) },
      "l[1]: Array item 1 in 'l' has wrong type: expected number, got string",
    ],
    [
      '{"o": {}}',
      { o: field('object', { properties: new Map([['k', field('string')]]) }) },
      'o.k: Missing required output field: k',
    ],
    ['[1]', { n: field('number') }, ': Output has wrong type: expected object, got array'],
  ])('%s: %o', (json, fields, complaint) => {
    expect(complaints(json, fields as Readonly<Record<string, OutputField>>)).toEqual([complaint]);
  });

  it.each([
    ['{"n": 1.0, "more": [1]}', { n: field('number') }],
    ['{"n": null}', { n: field('number', { nullable: true }) }],
    ['{"n": 1.0}', { n: field('number', { enum: [1] }) }],
    ['{"n": 12345678901234567890}', { n: field('number', { minimum: 1 }) }],
    ['{"o": {}}', { o: field('object', { properties: new Map([['k', field('string', { required: false })]]) }) }],
    ['{"s": "a1b"}', { s: field('string', { pattern: '\\d' }) }],
  ])('accepts %s', (json, fields) => {
    expect(complaints(json, fields as Readonly<Record<string, OutputField>>)).toEqual([]);
  });

  it('takes a scalar out of a mapping that only wraps it', () => {
    const fields = new Map([
      ['n', field('number')],
      ['o', field('object')],
    ]);
    const value = unwrapScalars(readJsonText('{"n": {"value": 1.0}, "o": {"value": 2}}'), fields);
    expect(writeJsonText(value)).toBe('{"n": 1.0, "o": {"value": 2}}');
  });
});
