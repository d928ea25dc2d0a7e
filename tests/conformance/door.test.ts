import { describe, expect, test } from 'vitest';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { calledMethods, fill, goodCalls, makeCall } from '../attack/junk/good-calls.js';
import { engines } from './engines.js';

describe.each(engines)('the door of the %s engine', (name, open) => {
  test('lets every good call pass', async () => {
    const engine = open();
    await fill(engine);
    for (const method of calledMethods) {
      // The memory engine too has no run of that id.
      if (method === 'waitForEnding')
        await expect(makeCall(engine, method, goodCalls[method])).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      else await makeCall(engine, method, goodCalls[method]);
    }
  });

  test.each<[string, (engine: Engine) => Promise<unknown>, string]>([
    [
      'a cancellation by nobody',
      (engine) => engine.cancel('waiting', { by: 'someone' as never }),
      'cancel: by is "someone"; it must be one of "caller", "parent", "signal", "operator".',
    ],
    [
      'a boolean as an id',
      (engine) => engine.summary(true as never),
      'summary: runId is true; it must be a text that is not empty',
    ],
    [
      'a boolean in a filter',
      (engine) => engine.list({ name: true as never }),
      'list: name is true; it must be a text',
    ],
    ['a misspelt filter', (engine) => engine.list({ nmae: 'x' } as never), 'did you mean "name"?'],
    [
      'half a pair in an id',
      (engine) => engine.start({ runId: 'x\ud800', name: 'n', version: '1' }),
      'start: runId is',
    ],
    ['a NUL in an id', (engine) => engine.claim('x\u0000', 'w'), 'claim: runId is'],
  ])('refuses %s and says what is allowed', async (_, attack, message) => {
    const engine = open();
    const before = await fill(engine);
    await expect(attack(engine)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message) as string,
    });
    expect([JSON.stringify(await engine.journal('run')), JSON.stringify(await engine.journal('waiting'))]).toEqual(
      before,
    );
  });

  test('is closed by close, whatever it is given', async () => {
    const engine = open();
    await (engine.close as (...given: readonly unknown[]) => Promise<void>)(Symbol('junk'), name);
  });
});
