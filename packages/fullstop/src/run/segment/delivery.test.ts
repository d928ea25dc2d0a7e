import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Delivery } from './delivery.js';

const listener = { onTurn: () => undefined, onIdle: () => undefined };

describe('Delivery', () => {
  test('hands results over in the order of the journal, whatever order they are there in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 20 }), async (seqs) => {
        const delivery = new Delivery(listener);
        const handed: number[] = [];
        const turns = seqs.map((seq) => [seq, delivery.reserve(seq)] as const);
        await Promise.all(turns.reverse().map(([seq, turn]) => turn().then(() => handed.push(seq))));
        expect(handed).toEqual([...seqs].sort((left, right) => left - right));
      }),
    );
  });

  test('waits for an earlier result that is not there yet', async () => {
    const delivery = new Delivery(listener);
    const handed: string[] = [];
    const first = delivery.reserve(1);
    const second = delivery
      .reserve(2)()
      .then(() => handed.push('second'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(handed).toEqual([]);
    await Promise.all([first().then(() => handed.push('first')), second]);
    expect(handed).toEqual(['first', 'second']);
  });

  test('lets the body run as far as it can before it gets the next result', async () => {
    const delivery = new Delivery(listener);
    const log: string[] = [];
    const follow = async (name: string, seq: number): Promise<void> => {
      await delivery.reserve(seq)();
      for (let hop = 0; hop < 500; hop += 1) await Promise.resolve();
      log.push(name);
    };
    await Promise.all([follow('a', 1), follow('b', 2), follow('c', 3)]);
    expect(log).toEqual(['a', 'b', 'c']);
  });

  test('gives what is folded a turn only where another result waits for its own', async () => {
    const delivery = new Delivery(listener);
    expect(delivery.reserveForFold(1)).toBeUndefined();
    const handed: number[] = [];
    const first = delivery.reserve(2);
    const second = delivery.reserveForFold(3);
    await Promise.all([second?.().then(() => handed.push(3)), first().then(() => handed.push(2))]);
    expect(handed).toEqual([2, 3]);
  });

  test('lets timers fire while results are handed over without end', async () => {
    const delivery = new Delivery(listener);
    let fired = false;
    setTimeout(() => {
      fired = true;
    }, 1);
    for (let seq = 1; !fired; seq += 1) await delivery.reserve(seq)();
    expect(fired).toBe(true);
  });

  test('says when nothing is left to hand over', async () => {
    let idle = 0;
    const onIdle = (): void => {
      idle += 1;
    };
    const delivery = new Delivery({ ...listener, onIdle });
    await Promise.all([delivery.reserve(1)(), delivery.reserve(2)()]);
    expect(idle).toBe(1);
  });
});
