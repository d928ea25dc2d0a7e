import { describe, expect, it } from 'vitest';
import { openEngine, rawDatabase, startAndClaim, temporaryFile } from '../sqlite/engine.fixture.js';
import { checkRow, readStoredAnswer, readStoredCancel } from './stored-rows.js';

const place = { table: 'inbox', runId: 'r' };

describe('a stored row', () => {
  it('that nobody could have written is STORE_CORRUPT, and the error names table, run and column', () => {
    const row = { type: 'answer', request: null, at: 'soon', data: '{}' };
    expect(() => checkRow('message', place, row)).toThrow(
      expect.objectContaining({
        code: 'STORE_CORRUPT',
        message: expect.stringContaining(
          '"r" in the table inbox is damaged: at is "soon", and must be an instant',
        ) as string,
        details: { table: 'inbox', runId: 'r', column: 'at' },
      }),
    );
    checkRow('message', place, { ...row, at: 5 });
    const run = { runId: 'r', name: 'n', version: '1', state: 'ready', segment: 1, startedAt: 1, wakeAt: null };
    checkRow('run', { table: 'runs', runId: 'r' }, run);
    expect(() => checkRow('run', { table: 'runs', runId: 'r' }, { ...run, state: 'reaby' })).toThrow(
      'state is "reaby"',
    );
  });

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
