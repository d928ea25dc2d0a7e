import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readYamlText } from './read-yaml-text.js';

interface Probe {
  readonly s: string;
  readonly t: string;
  readonly v: string;
}

const file = new URL('../../../../../tests/parity/data/yaml-scalars.json', import.meta.url);
const probes: readonly Probe[] = JSON.parse(readFileSync(file, 'utf8'));

/** The reference keeps these as tagged objects that no field of a workflow accepts; here they are plain text. */
const readAsText: ReadonlySet<string> = new Set(['=', '<<', '!!str 5']);

const typeNames: Readonly<Record<string, string>> = {
  string: 'str',
  boolean: 'bool',
  null: 'null',
  integer: 'int',
  float: 'float',
  date: 'date',
};

/** The JSON form of a value that the probe gives in Python's words. */
function jsonOf({ t, v }: Probe): string {
  const words: Readonly<Record<string, string>> = {
    True: 'true',
    False: 'false',
    None: 'null',
    inf: 'Infinity',
    '-inf': '-Infinity',
    nan: 'NaN',
  };
  if (t === 'float') return words[v] ?? String(Number(v)).replace(/^-?\d+$/, '$&.0');
  return t === 'str' || t === 'date' ? JSON.stringify(v) : (words[v] ?? v);
}

describe('plain scalars', () => {
  it.each(probes.filter(({ s }) => !readAsText.has(s)))('reads $s as $t', (probe) => {
    const reading = readYamlText(`v: ${probe.s}\n`);
    expect(reading).toMatchObject({ ok: true, json: `{"v": ${jsonOf(probe)}}` });
    const scalar = readYamlText(probe.s);
    if (probe.s !== '')
      expect(scalar).toMatchObject({
        ok: true,
        kind: Object.keys(typeNames).find((kind) => typeNames[kind] === probe.t),
      });
  });

  it.each([...readAsText])('reads %s as text, which the reference refuses', (source) => {
    const probe = probes.find(({ s }) => s === source);
    expect(probe?.t).toBe('TaggedScalar');
    expect(readYamlText(`v: ${source}\n`)).toMatchObject({ ok: true, json: `{"v": ${JSON.stringify(probe?.v)}}` });
  });

  it('refuses a date that does not exist', () => {
    expect(readYamlText('2024-13-45')).toMatchObject({ ok: false, reason: 'date' });
    expect(readYamlText('a: 2023-02-29 10:00:00')).toMatchObject({ ok: false, reason: 'date' });
    expect(readYamlText('0000-01-01')).toMatchObject({ ok: false, reason: 'date' });
    expect(readYamlText('"2024-13-45"')).toMatchObject({ ok: true, kind: 'string' });
  });

  it('rounds what is finer than a microsecond', () => {
    expect(readYamlText('2024-01-01T10:00:00.123456789')).toMatchObject({ json: '"2024-01-01T10:00:00.123457"' });
  });

  it.each([
    ['|\n x', '"x"'],
    ['|\n x\n', '"x\\n"'],
    ['a: >\n  x\n  y', '{"a": "x y"}'],
    ['a: |+\n  x\n\n', '{"a": "x\\n\\n"}'],
    ['a: |\n  x\nb: 1', '{"a": "x\\n", "b": 1}'],
  ])('ends the block %j where the text ends', (text, json) => {
    expect(readYamlText(text)).toMatchObject({ json });
  });

  it.each(['a: [b]: c', 'a: {b: 1}: c'])('refuses the second colon of %s', (text) => {
    expect(readYamlText(text)).toMatchObject({ ok: false, reason: 'syntax' });
  });

  it('keeps fractions of a second and offsets of a date', () => {
    expect(readYamlText('2024-01-01T10:00:00.25+2')).toMatchObject({ json: '"2024-01-01T10:00:00.250000+02:00"' });
  });

  it.each([
    ['a:\tb', 'syntax'],
    ['- a\tb', 'syntax'],
    ['[a\tb]', 'syntax'],
    ['a: =', 'syntax'],
    ['[1]: a', 'key'],
    ['{a: 1}: b', 'syntax'],
  ])('refuses %j as a value', (text, reason) => {
    expect(readYamlText(text, { asValue: true })).toMatchObject({ ok: false, reason });
  });

  it.each(['{\n\t"a": 1\n}', '[1,\t2]', 'a: "\t"', "a: 'x\ty'", 'a: |\n  x\ty\n', 'a: 1 # x\ty'])(
    'takes the tab in %j',
    (text) => {
      expect(readYamlText(text, { asValue: true })).toMatchObject({ ok: true });
    },
  );

  it('puts merged keys first in a value, and last in a file', () => {
    const text = '{x: &x {a: 1, b: 2}, y: {c: 0, b: 3, <<: *x}}';
    expect(readYamlText(text, { asValue: true })).toMatchObject({
      json: '{"x": {"a": 1, "b": 2}, "y": {"a": 1, "b": 3, "c": 0}}',
    });
    expect(readYamlText(text)).toMatchObject({ json: '{"x": {"a": 1, "b": 2}, "y": {"c": 0, "b": 3, "a": 1}}' });
  });

  it.each(['-_', '0x_', '0b__', '._', '+', '.', '1_.x', '0b1_0', '0x_f'])('reads %s without failing', (source) => {
    const expected = { '0b1_0': 'integer', '0x_f': 'integer' }[source] ?? 'string';
    expect(readYamlText(`'${source}': ${source}`)).toMatchObject({ ok: true });
    expect(readYamlText(source)).toMatchObject({ kind: expected });
  });

  it('reads a number of a million digits as text instead of computing it', () => {
    expect(readYamlText(`0x${'f'.repeat(1_000_000)}`)).toMatchObject({ kind: 'string' });
  });
});
