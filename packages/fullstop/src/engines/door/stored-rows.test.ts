import { describe, expect, it } from 'vitest';
import { openEngine, rawDatabase, startAndClaim, temporaryFile } from '../sqlite/engine.fixture.js';
import { readStoredAnswer, readStoredCancel } from './stored-rows.js';

const place = { table: 'inbox', runId: 'r' };

describe('a stored row', () => {
  it('with an answer that is none is STORE_CORRUPT', () => {
    for (const data of ['{', '{}', '{"decision":"maybe"}'])
      expect(() => readStoredAnswer(place, 'ok', data)).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }));
    expect(readStoredAnswer(place, 'ok', '{"decision":"deny","by":"x"}')).toEqual({ decision: 'deny', by: 'x' });
  });

  it('with a wish to cancel by nobody that we know is that of an operator', () => {
    expect(readStoredCancel(place, '{"by":"someone"}')).toEqual({ by: 'operator' });
    expect(readStoredCancel(place, '{"by":"caller","hard":true}')).toEqual({ by: 'caller', hard: true });
  });

  it('of an earlier version, with such a wish, does not keep its run from being claimed', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const session = await startAndClaim(engine, 'r');
    await session.park(undefined);
    await engine.cancel('r', { by: 'operator' });
    rawDatabase(file).exec(`UPDATE inbox SET hash = NULL, data = '{"by":"someone"}'`);
    const messages: unknown[] = [];
    (await engine.claim('r', 'w'))?.listen((message) => messages.push(message));
    expect(messages).toMatchObject([{ type: 'cancel', request: { by: 'operator' } }]);
  });
});
