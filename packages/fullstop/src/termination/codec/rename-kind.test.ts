import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from '../any-termination.fixture.js';
import { createRegistry } from '../registry.js';
import { samples } from '../samples.fixture.js';
import { allKinds, table } from '../table.js';
import { reconciled } from '../third-party.fixture.js';
import { createCodec, encode } from './codec.js';

const dollar = createCodec({ discriminant: '$kind' });
const child = { name: 'c', path: 'c' };

describe('another discriminant', () => {
  it.each(['$kind', 'type', '_tag', '__proto__', 'constructor', ''])(
    'gives back every termination: %j',
    (discriminant) => {
      const codec = createCodec({ discriminant });
      fc.assert(
        fc.property(arbitraryTermination, (t) => {
          expect(codec.decode(codec.encode(t))).toEqual(t);
        }),
        { numRuns: 200 },
      );
    },
  );

  it('comes first and replaces the kind', () => {
    expect(dollar.encode(samples.max_tool_calls)).toBe('{"$kind":"max_tool_calls","limit":40,"used":41}');
  });

  it('is used in every termination inside the termination, too', () => {
    const t = {
      kind: 'child_failed',
      child,
      termination: {
        kind: 'cancelled',
        by: 'parent',
        cause: { kind: 'child_failed', child, termination: samples.natural_end },
      },
      others: [{ child, termination: { kind: 'cancelled', by: 'parent', cause: samples.natural_end } }],
    } as const;
    expect(JSON.parse(dollar.encode(t))).toEqual({
      $kind: 'child_failed',
      child,
      termination: {
        $kind: 'cancelled',
        by: 'parent',
        cause: { $kind: 'child_failed', child, termination: { $kind: 'natural_end' } },
      },
      others: [{ child, termination: { $kind: 'cancelled', by: 'parent', cause: { $kind: 'natural_end' } } }],
    });
    expect(dollar.decode(dollar.encode(t))).toEqual(t);
  });

  it('leaves the user’s own data alone', () => {
    const own = { kind: 'sedan', $kind: 'x', cause: { kind: 'rust' }, termination: { kind: 'scrap' } };
    const t = { ...samples.custom, properties: own };
    expect(JSON.parse(dollar.encode(t))).toMatchObject({ $kind: 'custom', properties: own });
    expect(dollar.decode(dollar.encode(t))).toStrictEqual(t);
    const errors = {
      ...samples.failed,
      error: { name: 'E', message: 'm', cause: { name: 'E', message: 'm', kind: 'x' } },
    };
    expect(dollar.decode(dollar.encode(errors))).toStrictEqual(errors);
  });

  it('does not change what it is given', () => {
    const t = structuredClone(samples.child_failed);
    dollar.encode(t);
    expect(t).toStrictEqual(samples.child_failed);
  });

  it('is what issues name', () => {
    expect(dollar.safeDecode('{"$kind":"natural_ends"}')).toEqual({
      ok: false,
      issues: [
        { code: 'unknown_kind', path: '$kind', message: 'unknown kind "natural_ends" (did you mean "natural_end"?)' },
      ],
    });
    expect(dollar.safeDecode('{"$kind":"cancelled","by":"parent","cause":{}}')).toEqual({
      ok: false,
      issues: [{ code: 'missing', path: 'cause.$kind', message: 'missing, expected the kind of a termination' }],
    });
  });

  it('is the only one that is read', () => {
    expect(dollar.safeDecode(encode(samples.natural_end))).toEqual({
      ok: false,
      issues: [
        {
          code: 'missing',
          path: '$kind',
          message: 'missing, expected the kind of a termination, which stands under "kind" instead',
        },
      ],
    });
    const mixed = { $kind: 'cancelled', by: 'parent', cause: { kind: 'natural_end', $kind: 'skipped' } };
    expect(dollar.safeDecode(mixed)).toEqual({
      ok: false,
      issues: [
        {
          code: 'invalid',
          path: 'cause.kind',
          message: 'cannot stand beside "$kind": the codec reads and writes one as the other',
        },
      ],
    });
  });

  it('may not be the name of a field', () => {
    const taken = new Set(['cut', ...allKinds().flatMap((kind) => Object.keys(table[kind].fields))]);
    expect(taken).toContain('status');
    for (const discriminant of taken) {
      expect(() => createCodec({ discriminant })).toThrow(
        expect.objectContaining({
          code: 'INVALID_DISCRIMINANT',
          message: expect.stringMatching(
            /is the name of a field of .*; use another one, such as "\$kind" or "type"\.$/,
          ),
        }),
      );
    }
  });

  it('that a third-party kind uses for a field of its own is refused on write', () => {
    const codec = createCodec({ discriminant: 'findings', registry: createRegistry([reconciled]) });
    expect(() => codec.encode(reconciled({ findings: 1 }))).toThrow(
      expect.objectContaining({
        code: 'INVALID_TERMINATION',
        issues: [expect.objectContaining({ path: 'findings' })],
      }),
    );
  });
});
