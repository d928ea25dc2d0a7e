import { describe, expect, it } from 'vitest';
import { awaitUnlessAborted, untilAborted, waitingOf } from './until-aborted.js';

/** Work that settles when it is told to, and what its owner heard. */
function work(begins: () => void = () => undefined) {
  const heard: unknown[] = [];
  let resolve: (value: string) => void = () => undefined;
  const result = new Promise<string>((settle) => {
    resolve = settle;
  });
  const owner = {
    begin: () => {
      begins();
      return result;
    },
    onValue: (value: string) => heard.push(['value', value]),
    onError: (error: unknown) => heard.push(['error', error]),
    onAbort: (reason: unknown) => heard.push(['abort', reason]),
  };
  return { owner, heard, settle: (value: string) => resolve(value), result };
}

describe('work under a signal', () => {
  it('is heard once, however many calls are made under the same one', async () => {
    const { signal } = new AbortController();
    const [one, other] = [work(), work()];
    awaitUnlessAborted(one.owner, waitingOf(signal));
    awaitUnlessAborted(other.owner, waitingOf(signal));
    one.settle('first');
    await one.result;
    other.settle('second');
    await other.result;
    expect([one.heard, other.heard]).toEqual([[['value', 'first']], [['value', 'second']]]);
  });

  it('hears of the abort within it, and of nothing that comes later', async () => {
    const controller = new AbortController();
    const late = work();
    awaitUnlessAborted(late.owner, waitingOf(controller.signal));
    controller.abort('enough');
    expect(late.heard).toEqual([['abort', 'enough']]);
    late.settle('too late');
    await late.result;
    expect(late.heard).toEqual([['abort', 'enough']]);
  });

  it('is not begun when the signal is aborted already', () => {
    let begun = 0;
    const never = work(() => {
      begun += 1;
    });
    awaitUnlessAborted(never.owner, waitingOf(AbortSignal.abort('before')));
    expect([begun, never.heard]).toEqual([0, [['error', 'before']]]);
  });

  it('hears of an abort that its own beginning led to', () => {
    const controller = new AbortController();
    const own = work(() => controller.abort('itself'));
    awaitUnlessAborted(own.owner, waitingOf(controller.signal));
    expect(own.heard).toEqual([['abort', 'itself']]);
  });

  it('settles as a promise with what it returns, or with the reason of the abort', async () => {
    const controller = new AbortController();
    await expect(untilAborted(async () => 'value', controller.signal)).resolves.toBe('value');
    const waiting = untilAborted(() => new Promise<never>(() => undefined), controller.signal);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
  });
});
