import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { arbitraryTermination } from '../any-termination.fixture.js';
import { causeChainOf, circularCause } from '../cause-chain.fixture.js';
import { category } from '../classify.js';
import { defineTermination } from '../define-termination.js';
import type { Ending } from '../ending.js';
import type { ErrorData } from '../errors/error-data.js';
import type { JsonValue } from '../json.js';
import type { AnyTermination, Termination } from '../kinds.js';
import { createRegistry } from '../registry.js';
import { rootCause } from '../root-cause.js';
import { samples } from '../samples.fixture.js';
import { createCodec, decode, encode } from './codec.js';

const mebibyte = 1_048_576;

/** Encodes, and holds the result to what every cut termination must be. */
function cut<T extends Termination>(termination: T, limits?: { depth: number; bytes: number }): T {
  const codec = createCodec(limits && { limits });
  const text = codec.encode(termination);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits?.bytes ?? mebibyte);
  const back = codec.decode(text);
  expect(back.kind).toBe(termination.kind);
  expect(category(back)).toBe(category<Termination>(termination));
  expect(back.cut?.length).toBeGreaterThan(0);
  // What was cut once is written again without further loss.
  expect(codec.encode(back)).toBe(text);
  return back as T;
}

function nested(levels: number, innermost: JsonValue = 'core'): JsonValue {
  let value = innermost;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? { inner: value } : [value];
  return value;
}

function errorChain(levels: number): ErrorData {
  let error: ErrorData = { name: 'Error', message: 'root' };
  for (let level = 0; level < levels; level += 1) error = { cause: error, message: `level ${level}`, name: 'Error' };
  return error;
}

/** Every level holds the one below twice, so that writing it out doubles with each level. */
function doubling(levels: number): JsonValue {
  let value: JsonValue = 'leaf';
  for (let level = 0; level < levels; level += 1) value = { left: value, right: value };
  return value;
}

describe('what fits', () => {
  it('is written whole up to 200 levels and cut beyond', () => {
    const whole = { ...samples.terminated, output: nested(199) };
    expect(decode(encode(whole))).toEqual(whole);
    expect(cut({ ...samples.terminated, output: nested(200) }).cut).toEqual([
      expect.stringMatching(/^output\[0\]\.inner.*: nested deeper than 200 levels$/),
    ]);
  });

  it('is written whole up to exactly one mebibyte and cut beyond', () => {
    const around = encode({ ...samples.content_matched, pattern: '' }).length;
    const whole = { ...samples.content_matched, pattern: 'x'.repeat(mebibyte - around) };
    expect(encode(whole)).toHaveLength(mebibyte);
    expect(decode(encode(whole))).toEqual(whole);
    const { pattern } = cut({ ...whole, pattern: `${whole.pattern}x` });
    expect(pattern).toMatch(/^x{65536}… \[cut: [\d,]+ more characters\]$/);
  });

  it('counts only what is written, however many small parts there are', () => {
    const whole = { ...samples.terminated, output: Array(250_000).fill([1]) as JsonValue };
    const text = encode(whole);
    expect(text.length).toBeGreaterThan(0.95 * mebibyte);
    expect(text).toBe(JSON.stringify(whole));
    expect(decode(text).cut).toBeUndefined();
  });
});

describe('what is too deep', () => {
  it('is cut with a mark, 10,000 levels of properties', () => {
    const t = cut({ ...samples.custom, properties: { tree: nested(10_000) } });
    expect(encode(t)).toContain('[cut: nested too deep]');
    expect(t.cut).toEqual([expect.stringMatching(/^properties\.tree.*: nested deeper than 200 levels$/)]);
    expect(t.reason).toBe(samples.custom.reason);
  });

  it.each([
    ['output', { ...samples.terminated, output: nested(10_000) }],
    ['deliverable', { ...samples.submitted, deliverable: nested(10_000) }],
    ['snapshot', { ...samples.no_progress, snapshot: nested(10_000) }],
    ['received', { ...samples.schema_validation, received: nested(10_000) }],
    ['cycle', { ...samples.loop_detected, cycle: [{ tool: 'x', input: nested(10_000) }] }],
    [
      'requests',
      { ...samples.interaction_pending, requests: [{ id: 'r', path: 'p', type: 'gate', input: nested(10_000) }] },
    ],
  ] as readonly (readonly [string, Termination])[])('is cut in the field it is in: %s', (field, t) => {
    expect(cut(t).cut?.[0]).toMatch(new RegExp(`^${field}`));
  });

  it('keeps a chain of causes of an error, less its deepest part', () => {
    const t = cut({ ...samples.failed, error: errorChain(10_000) });
    expect(t.error.message).toBe('level 9999');
    expect(t.error.cause?.cause?.message).toBe('level 9997');
    expect(t.cut).toEqual([expect.stringMatching(/^error\.cause.*cause: nested deeper than 200 levels$/)]);
  });

  it.each([300, 10_000])('keeps the root cause and the category of a chain of %i children', (levels) => {
    const root = { ...samples.failed, error: errorChain(5) };
    const t = cut(causeChainOf(levels, root));
    expect(rootCause(t)).toEqual(root);
    expect(t.child.name).toBe(`level-${levels}`);
    expect(t.cut).toEqual([expect.stringMatching(/: the endings between this one and its root cause$/)]);
  });

  it('keeps a valid root cause however deep that is itself', () => {
    const root = { ...samples.failed, error: errorChain(300) };
    expect(rootCause(cut(causeChainOf(10_000, root)))).toMatchObject({
      kind: 'failed',
      error: { message: 'level 299' },
    });
  });

  it('keeps the outer part of a chain of cancellations', () => {
    let t: Termination<'cancelled'> = samples.cancelled;
    for (let level = 0; level < 10_000; level += 1) t = { kind: 'cancelled', by: 'parent', cause: t };
    expect(cut(t).cause).toMatchObject({ kind: 'cancelled', cause: { kind: 'cancelled' } });
  });

  it('keeps the first child where others hang in chains as well', () => {
    const others = Array.from({ length: 50 }, () => ({
      child: { name: 'o', path: 'o' },
      termination: causeChainOf(1_000, samples.gate_pending),
    }));
    const t = cut({ ...causeChainOf(1_000, samples.no_route), others });
    expect(rootCause(t)).toEqual(samples.no_route);
    expect(t.others?.[0]?.child).toEqual({ name: 'o', path: 'o' });
  });
});

describe('what is too large', () => {
  it.each([
    ['text', 'x'.repeat(5_000_000)],
    ['wide characters', '語'.repeat(1_000_000)],
    ['characters of two units', '😀'.repeat(600_000)],
    ['characters that are escaped', '\u0001"\\\n'.repeat(1_000_000)],
    ['halves of characters', '\ud800'.repeat(1_000_000)],
  ])('is cut: 5 MB of %s in one place', (_, text) => {
    const t = cut({ ...samples.custom, reason: text, properties: { text, short: 'kept' } });
    expect(t.reason).toMatch(/… \[cut: [\d,]+ more characters\]$/);
    expect(t.properties?.['short']).toBe('kept');
    expect(t.cut?.[0]).toMatch(/^reason: cut from [\d,]+ characters$/);
  });

  it('never cuts a character in two', () => {
    const { reason } = cut({ ...samples.custom, reason: `x${'😀'.repeat(1_000_000)}` });
    expect(reason).toMatch(/^x😀{32767}… \[cut/u);
  });

  it.each([
    ['small numbers', 1],
    ['long numbers', Math.PI * 1e-300],
    ['texts', 'element'],
    ['objects', { a: 1 }],
    ['empty lists', []],
    ['nulls', null],
  ] as readonly (readonly [string, JsonValue])[])('is cut: a list of a million %s', (_, element) => {
    const t = cut({ ...samples.terminated, output: Array(1_000_000).fill(element) as JsonValue });
    expect((t.output as readonly JsonValue[])[0]).toEqual(element);
    expect(t.cut).toEqual(['output: cut from 1,000,000 elements']);
  });

  it('is cut: an object of two hundred thousand properties', () => {
    const properties = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`key-${index}`, index]));
    const t = cut({ ...samples.custom, properties });
    expect(t.properties).toMatchObject({ 'key-0': 0, 'key-9999': 9999 });
    expect(t.cut).toEqual(['properties: cut from 200,000 properties']);
  });

  it('is cut: a name of 5 MB', () => {
    const t = cut({ ...samples.custom, properties: { ['k'.repeat(5_000_000)]: { inner: 'x'.repeat(100) } } });
    expect(Object.values(t.properties ?? {})).toEqual([{ inner: 'x'.repeat(100) }]);
    expect(t.cut).toEqual(['properties: a name cut from 5,000,000 characters']);
  });

  it('is cut: parts that are shared until there are 2^100 of them', () => {
    expect(cut({ ...samples.custom, properties: { tree: doubling(100) } }).cut?.length).toBeGreaterThan(0);
    expect(
      cut({ ...samples.terminated, output: Array(1_000).fill(Array(1_000).fill(Array(1_000).fill(1))) }).kind,
    ).toBe('terminated');
  });

  it('is cut: a circle', () => {
    const circle: Record<string, unknown> = { name: 'circle' };
    circle['self'] = circle;
    circle['list'] = [circle, circle];
    const t = cut({ ...samples.custom, properties: circle as never });
    expect(t.properties).toMatchObject({ name: 'circle', self: { name: 'circle' } });
  });

  it('keeps a chain of children that is a circle, with no cause at its end', () => {
    const codec = createCodec();
    const back = codec.decode(codec.encode(circularCause())) as Termination<'child_failed'>;
    expect(back.child.name).toBe('outer');
    expect(rootCause(back)).toEqual({ kind: 'indeterminate', candidates: [] });
  });

  it('keeps every required field of every shape, in whatever order they are given', () => {
    const huge = doubling(40);
    const requests = Array.from({ length: 2_000 }, (_, index) => ({
      deadline: '2026-03-01T12:00:00.000Z',
      options: [{ label: 'x'.repeat(1_000), value: 'yes' }, { value: 'no' }],
      schema: huge,
      input: huge,
      tool: 'tool',
      type: 'approval' as const,
      path: 'path',
      id: `r-${index}`,
    }));
    const t = cut({ kind: 'interaction_pending', requests });
    expect(t.requests[0]).toMatchObject({ id: 'r-0', path: 'path', type: 'approval' });
    const inside = cut(causeChainOf(1_000, { kind: 'interaction_pending', requests }));
    expect((rootCause(inside) as typeof t).requests[0]).toMatchObject({ id: 'r-0', path: 'path', type: 'approval' });
  });

  it('keeps the evidence and drops unknown fields first', () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`extra-${index}`, 'x'.repeat(20)]),
    );
    expect(cut({ ...unknown, ...samples.max_iterations })).toMatchObject(samples.max_iterations);
  });

  it('adds to an earlier note of what was cut', () => {
    const t = cut({ ...samples.custom, reason: 'x'.repeat(2_000_000), cut: ['properties: cut from 9 elements'] });
    expect(t.cut).toEqual(['properties: cut from 9 elements', 'reason: cut from 2,000,000 characters']);
  });

  it('names at most twenty places, each in a short line', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${'k'.repeat(5_000)}${index}`, 'x'.repeat(100_000)]),
    );
    const notes = cut({ ...samples.custom, properties }).cut ?? [];
    expect(notes).toHaveLength(20);
    for (const note of notes) expect(note.length).toBeLessThan(400);
  });

  it('still says what is wrong with what is left', () => {
    const t = {
      ...samples.custom,
      category: 'nope',
      properties: { text: 'x'.repeat(2_000_000) },
    } as unknown as Termination;
    expect(() => encode(t)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: 'category' })] }),
    );
  });
});

describe('third-party kinds', () => {
  const report = defineTermination({
    kind: 'app.report',
    schema: z.object({ title: z.string(), rows: z.array(z.array(z.number())), note: z.string().optional() }),
    family: 'completion',
    category: 'success',
  });
  const codec = createCodec({ registry: createRegistry([report]) });

  it('keep all their fields and are cut inside of them', () => {
    const t: Ending = report({ note: 'x'.repeat(3_000_000), rows: Array(9).fill([1, 2]), title: 'sums' });
    const back = codec.decode(codec.encode(t));
    expect(back).toMatchObject({ kind: 'app.report', title: 'sums', rows: Array(9).fill([1, 2]) });
    expect(back.cut).toEqual(['note: cut from 3,000,000 characters']);
  });

  it('are refused when their schema does not accept what would be left of them', () => {
    const exact = defineTermination({
      kind: 'app.exact',
      schema: z.object({ text: z.string().length(2_000_000) }),
      family: 'completion',
      category: 'success',
    });
    const own = createCodec({ registry: createRegistry([exact]) });
    expect(() => own.encode(exact({ text: 'x'.repeat(2_000_000) }))).toThrow(
      expect.objectContaining({ code: 'INVALID_TERMINATION', issues: [expect.objectContaining({ path: 'text' })] }),
    );
  });
});

describe('limits of one’s own', () => {
  const limits = { depth: 10, bytes: 2_000 };

  it('are kept to', () => {
    expect(cut({ ...samples.custom, properties: { tree: nested(20), text: 'x'.repeat(5_000) } }, limits).reason).toBe(
      samples.custom.reason,
    );
    expect(rootCause(cut(causeChainOf(500, samples.no_route), limits))).toEqual(samples.no_route);
  });

  it('of four levels leave a valid ending of every kind, and its root cause', () => {
    const codec = createCodec({ limits: { depth: 4, bytes: 20_000 } });
    fc.assert(
      fc.property(arbitraryTermination, fc.nat({ max: 8 }), (t, levels) => {
        const whole = levels === 0 ? t : causeChainOf(levels, t);
        const back = codec.decode(codec.encode(whole));
        expect(back.kind).toBe(whole.kind);
        expect(category(back)).toBe(category(whole));
        expect(rootCause(back).kind).toBe(rootCause(whole).kind);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leave out what is optional only where it does not fit', () => {
    const gate = { gateId: 'g', path: 'p', summary: 'x'.repeat(30_000), options: [{ value: 'yes' }] };
    const t: Termination<'gate_pending'> = { kind: 'gate_pending', gates: [gate] };
    const five = cut(t, { depth: 5, bytes: 20_000 });
    expect(five.gates[0]?.options).toEqual([{ value: 'yes' }]);
    const four = cut(t, { depth: 4, bytes: 20_000 });
    expect(four.gates[0]).toEqual({ gateId: 'g', path: 'p', summary: five.gates[0]?.summary });
    expect(four.cut).toEqual([
      'gates[0].summary: cut from 30,000 characters',
      'gates[0].options: nested deeper than 4 levels',
    ]);
  });

  it('never turn a failed child into its cause', () => {
    const codec = createCodec({ limits: { depth: 3, bytes: 20_000 } });
    expect(codec.decode(codec.encode(causeChainOf(9, samples.no_progress)))).toMatchObject({
      kind: 'child_failed',
      child: { name: 'level-9' },
      termination: { kind: 'no_progress', snapshot: samples.no_progress.snapshot },
    });
  });

  it('hold for reading as well', () => {
    const codec = createCodec({ limits });
    const large: AnyTermination = { ...samples.content_matched, pattern: 'x'.repeat(2_000) };
    expect(codec.safeDecode(JSON.stringify(large))).toMatchObject({
      ok: false,
      issues: [{ message: 'larger than 2,000 bytes' }],
    });
    expect(codec.safeDecode(large)).toMatchObject({ ok: false, issues: [{ message: 'larger than 2,000 bytes' }] });
    expect(codec.safeDecode({ ...samples.terminated, output: nested(10) })).toMatchObject({
      ok: false,
      issues: [{ message: 'nested deeper than 10 levels' }],
    });
  });

  it('that leave no room at all are an error that says so', () => {
    const codec = createCodec({ limits: { depth: 2, bytes: 30 } });
    expect(() => codec.encode(samples.gate_pending)).toThrow(
      expect.objectContaining({
        code: 'INVALID_TERMINATION',
        message: 'Not a valid gate_pending: cannot be cut to 30 bytes and 2 levels.',
      }),
    );
  });

  it('hold for a wire form of one’s own, which is asked again with less', () => {
    const codec = createCodec({ limits, encode: (t) => ({ wrapped: JSON.stringify(t), twice: JSON.stringify(t) }) });
    const text = codec.encode({ ...samples.custom, reason: 'x'.repeat(1_500) });
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(text).toContain('more characters');
    const stubborn = createCodec({ limits, encode: () => 'x'.repeat(3_000) });
    expect(() => stubborn.encode(samples.natural_end)).toThrow(
      expect.objectContaining({ code: 'INVALID_TERMINATION' }),
    );
  });
});
