import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Rooms of the agent that call models, tools, hooks and engines. */
const impure = /from '\.\.\/(perform|stream|options|tools)\//;

describe('the machine of an agent', () => {
  it('imports nothing that performs effects', () => {
    const sources = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !file.includes('.test'));
    const breaches = sources.filter((file) => impure.test(readFileSync(join(import.meta.dirname, file), 'utf8')));
    expect(breaches).toEqual([]);
  });
});
