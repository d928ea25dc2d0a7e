import { describe, expect, it } from 'vitest';
import { temporaryFile } from '../engine.fixture.js';
import { findDriver, type SqlValue } from './driver.js';

const junk: readonly [string, unknown][] = [
  ['true', true],
  ['nothing', undefined],
  ['a symbol', Symbol('s')],
  ['a function', () => 1],
  ['a bigint', 2n ** 70n],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['an object', { a: 1 }],
  ['a list', [1]],
  ['half a pair', 'a\ud800'],
  ['NUL', 'a\u0000b'],
];

describe('the driver seam', () => {
  it.each(junk)('refuses %s with a typed error, and the statement works afterwards', (_, value) => {
    const database = findDriver('libsql').open(temporaryFile());
    database.exec('CREATE TABLE t (a, b)');
    const insert = database.prepare('INSERT INTO t VALUES (?, ?)');
    const select = database.prepare<{ a: string }>('SELECT a FROM t WHERE b IS ?');
    const given = value as SqlValue;
    for (const call of [
      () => insert.run('x', given),
      () => insert.runWith(['x', given]),
      () => select.get(given),
      () => select.all(given),
    ])
      expect(call).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }));
    insert.run('kept', 'ä😀');
    expect(select.all('ä😀').map(({ a }) => a)).toEqual(['kept']);
    database.close();
  });
});
