import { describe, expectTypeOf, test } from 'vitest';
import type { Engine } from '../port/engine.js';
import { type Door, inOrder } from './door.js';
import { optional, record } from './reader.js';
import { name, whole } from './readers.js';

interface Thing {
  readonly label: string;
  find(id: string): Promise<void>;
  count(most?: number): number;
}

describe('a door', () => {
  test('has a row for every method, and for nothing else', () => {
    expectTypeOf<keyof Door<Thing>>().toEqualTypeOf<'find' | 'count'>();
    expectTypeOf<keyof Door<Engine>>().toEqualTypeOf<
      Exclude<keyof Engine, 'name' | 'clock' | 'durable' | 'encoded' | 'queued' | 'providers' | 'spending'>
    >();
  });

  test('does not compile without one, or with one for other arguments', () => {
    const find = inOrder<[id: string]>(['id', name]);
    // @ts-expect-error: count is missing
    const incomplete: Door<Thing> = { find };
    // @ts-expect-error: the argument of count is a number
    const wrong: Door<Thing> = { find, count: find };
    // @ts-expect-error: the argument may be left out
    const strict = inOrder<[most?: number]>(['most', whole]);
    const good: Door<Thing> = { find, count: inOrder<[most?: number]>(['most', optional(whole)]) };
    expectTypeOf([incomplete, wrong, strict, good]).toBeArray();
  });

  test('reads every field of an argument', () => {
    // @ts-expect-error: there is no reader for b
    record<{ readonly a: string; readonly b: number }>({ a: name });
    // @ts-expect-error: a may be left out
    record<{ readonly a?: string }>({ a: name });
  });
});
