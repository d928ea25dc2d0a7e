import { describe, expect, it } from 'vitest';
import { newId } from './new-id.js';

const uuid = /^r_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('newId', () => {
  it.each([true, false])('is a UUID with its prefix, and never the same twice (durable: %s)', (durable) => {
    const ids = Array.from({ length: 10_000 }, () => newId('r', { durable }));
    for (const id of ids) expect(id).toMatch(uuid);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
