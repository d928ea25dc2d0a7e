import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCodec } from './codec/codec.js';
import { defineTermination } from './define-termination.js';
import { builtIns, createRegistry } from './registry.js';
import { allKinds } from './table.js';
import { reconciled, throttled } from './third-party.fixture.js';

describe('createRegistry', () => {
  it('knows the built-in kinds and the given ones, in order', () => {
    expect(createRegistry().kinds).toEqual(allKinds());
    expect(createRegistry([reconciled, throttled]).kinds).toEqual([
      ...allKinds(),
      'billing.reconciled',
      'gateway.throttled',
    ]);
  });

  it('returns what it knows about a kind', () => {
    const registry = createRegistry([reconciled]);
    expect(registry.get('billing.reconciled')).toMatchObject({
      kind: 'billing.reconciled',
      family: 'completion',
      tag: 'reconciled',
      fields: undefined,
      dialects: {},
    });
    expect(registry.get('max_tool_calls')).toMatchObject({
      kind: 'max_tool_calls',
      family: 'limit',
      tag: 'max_tool_calls',
      fields: new Set(['limit', 'used']),
    });
  });

  it('refuses two definitions of one kind', () => {
    const again = defineTermination({
      kind: 'billing.reconciled',
      schema: z.object({}),
      family: 'limit',
      category: 'capacity',
    });
    expect(() => createRegistry([reconciled, again])).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_KIND', message: expect.stringContaining('"billing.reconciled"') }),
    );
  });

  it('says how to register a kind that it does not know', () => {
    expect(() => builtIns.get('billing.reconciled')).toThrow(
      expect.objectContaining({
        code: 'UNREGISTERED_TERMINATION',
        message:
          'No kind named "billing.reconciled" is registered. Define it with defineTermination and pass the definition on: terminations: [definition] on a run, createRegistry([definition]) for a codec.',
      }),
    );
    expect(builtIns.find('billing.reconciled')).toBeUndefined();
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])('knows no kind named %j', (kind) => {
    expect(builtIns.find(kind)).toBeUndefined();
    expect(() => builtIns.get(kind)).toThrow(expect.objectContaining({ code: 'UNREGISTERED_TERMINATION' }));
  });

  it('shares nothing with other registries', () => {
    const one = createRegistry([reconciled]);
    const other = createRegistry([throttled]);
    expect(one.find('gateway.throttled')).toBeUndefined();
    expect(other.find('billing.reconciled')).toBeUndefined();
    expect(builtIns.kinds).toEqual(allKinds());
    const t = reconciled({ findings: 1 });
    expect(createCodec({ registry: one }).encode(t)).toBe('{"kind":"billing.reconciled","findings":1}');
    expect(() => createCodec({ registry: other }).encode(t)).toThrow(
      expect.objectContaining({ code: 'UNREGISTERED_TERMINATION' }),
    );
  });
});
