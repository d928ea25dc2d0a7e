import { describe, expect, test } from 'vitest';
import { type Permit, Permits } from './permits.js';

/** Work that ends when it is told to. */
function controlled(
  permits: Permits,
  log: string[],
  name: string,
): { permit?: Permit; done: Promise<void>; end(): void } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work: { permit?: Permit; done: Promise<void>; end(): void } = {
    end: () => end(),
    done: permits.hold(async (permit) => {
      work.permit = permit;
      log.push(`${name} begins`);
      await ended;
      log.push(`${name} ends`);
    }),
  };
  return work;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Permits', () => {
  test('lets so many work at once and hands permits on in the order of the line', async () => {
    const log: string[] = [];
    const permits = new Permits(2);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => controlled(permits, log, name)) as [
      never,
      never,
      never,
      never,
    ];
    await settled();
    expect(log).toEqual(['a begins', 'b begins']);
    (b as ReturnType<typeof controlled>).end();
    await settled();
    expect(log.slice(2)).toEqual(['b ends', 'c begins']);
    for (const work of [a, c, d] as ReturnType<typeof controlled>[]) work.end();
    await Promise.all(([a, b, c, d] as ReturnType<typeof controlled>[]).map((work) => work.done));
    expect(log.at(-1)).toBe('d ends');
  });

  test('lets the next begin while a holder has returned its permit, and takes it again at the end of the line', async () => {
    const log: string[] = [];
    const permits = new Permits(1);
    const [a, b] = [controlled(permits, log, 'a'), controlled(permits, log, 'b')];
    await settled();
    a.permit?.giveBack();
    a.permit?.giveBack();
    await settled();
    expect(log).toEqual(['a begins', 'b begins']);
    let taken = false;
    void a.permit?.take().then(() => {
      taken = true;
    });
    await settled();
    expect(taken).toBe(false);
    b.end();
    await b.done;
    await settled();
    expect(taken).toBe(true);
  });

  test('hands on the permit of one who will never come back', async () => {
    const log: string[] = [];
    const permits = new Permits(1);
    const [a, b] = [controlled(permits, log, 'a'), controlled(permits, log, 'b')];
    await settled();
    a.permit?.release();
    a.permit?.release();
    await settled();
    expect(log).toEqual(['a begins', 'b begins']);
    b.end();
    a.end();
    await Promise.all([a.done, b.done]);
    const third = controlled(permits, log, 'c');
    const fourth = controlled(permits, log, 'd');
    await settled();
    expect(log.slice(-1)).toEqual(['c begins']);
    third.end();
    fourth.end();
    await Promise.all([third.done, fourth.done]);
  });
});
