import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { Delivery } from './delivery.js';

const listener = { onTurn: () => undefined, onIdle: () => undefined };

function historyOf(length: number): readonly JournalEntry[] {
  return Array.from({ length }, (_, index) => ({ seq: index + 1, ordinal: index }) as JournalEntry);
}

describe('Delivery', () => {
  test('hands results over in the order of the journal, whatever order they are there in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 20 }), async (seqs) => {
        const delivery = new Delivery([], listener);
        const handed: number[] = [];
        const turns = seqs.map((seq) => [seq, delivery.reserve(seq)] as const);
        await Promise.all(turns.reverse().map(([seq, turn]) => turn().then(() => handed.push(seq))));
        expect(handed).toEqual([...seqs].sort((left, right) => left - right));
      }),
    );
  });

  test('waits for an earlier result that is not there yet', async () => {
    const delivery = new Delivery([], listener);
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

  test('lets the body go on as far as it can before it gets the next result', async () => {
    const delivery = new Delivery([], listener);
    const log: string[] = [];
    const follow = async (name: string, seq: number): Promise<void> => {
      await delivery.reserve(seq)();
      for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
      log.push(name);
    };
    await Promise.all([follow('a', 1), follow('b', 2), follow('c', 3)]);
    expect(log).toEqual(['a', 'b', 'c']);
  });

  test('is in step at once without a history, and with one after the first new result', async () => {
    expect(new Delivery([], listener).inStep).toBe(true);
    const delivery = new Delivery(historyOf(3), listener);
    expect(delivery.inStep).toBe(false);
    await delivery.reserve(2)();
    expect([delivery.idle, delivery.inStep]).toEqual([true, false]);
    await delivery.reserve(4)();
    expect(delivery.inStep).toBe(true);
  });

  test('says when nothing is left to hand over', async () => {
    let idle = 0;
    const onIdle = (): void => {
      idle += 1;
    };
    const delivery = new Delivery([], { ...listener, onIdle });
    await Promise.all([delivery.reserve(1)(), delivery.reserve(2)()]);
    expect(idle).toBe(1);
  });
});
