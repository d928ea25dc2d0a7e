import { describe, expect, it } from 'vitest';
import { newOwnerId, newRunId } from './new-id.js';

const uuid = /^r_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each([true, false])('new ids, durable: %s', (durable) => {
  it('are UUIDs for runs, and never the same twice', () => {
    const ids = Array.from({ length: 10_000 }, () => newRunId({ durable }));
    for (const id of ids) expect(id).toMatch(uuid);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('say what owners are for, and are never the same twice', () => {
    const ids = Array.from({ length: 1000 }, () => newOwnerId('local', { durable }));
    for (const id of ids) expect(id).toMatch(/^local_[0-9a-f-]+$/);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
