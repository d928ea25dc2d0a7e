import { memoryEngine } from 'fullstop';
import { checkSnapshot, converge, fact, family, promotionGate, suggestor } from 'fullstop/convergence';
import { describe, expect, it } from 'vitest';
import { countingRecord, recordOf } from '../../why/records.fixture.js';
import { type ConvergenceView, factsOf } from './facts.js';

/** The proof of a page: its facts, as they are shown, have the root that the run recorded. */
function isProved({ facts, root }: ConvergenceView): boolean {
  const plain = facts.map(({ ref: _ref, seq: _seq, ...rest }) => rest);
  try {
    checkSnapshot({ format: 'fullstop.convergence/1', facts: plain, root });
    return true;
  } catch {
    return false;
  }
}

const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;

describe('factsOf', () => {
  it('puts facts together so that they have the recorded root, an approval included', async () => {
    const [found] = factsOf(await countingRecord({ gated: true })).convergences;
    expect(found?.facts.map(({ ref, by, cycle, payload }) => [ref, by, cycle, payload])).toContainEqual([
      'count/c3',
      'counter',
      3,
      { number: 3 },
    ]);
    expect(found?.gates).toMatchObject([{ gateId: 'count/c3@3', decision: 'approved', by: 'maria' }]);
    expect(isProved(found as ConvergenceView)).toBe(true);
  });

  it('proves nothing of a fact that was changed', async () => {
    const [found] = factsOf(await countingRecord()).convergences;
    const facts = found?.facts.map((each) => (each.ref === 'count/c2' ? { ...each, payload: { number: 7 } } : each));
    expect(isProved({ ...(found as ConvergenceView), facts: facts ?? [] })).toBe(false);
  });

  it('tells who proposed what was rejected, and why', async () => {
    const engine = memoryEngine();
    const price = family<{ usd: number }>('price', { version: 2, schema: anything } as never);
    const guesser = suggestor('guesser', {
      dependsOn: ['price'],
      accepts: ({ facts }) => facts.get('price').length < 2,
      execute: ({ propose }) => {
        propose(price, { usd: 5 }, { id: 'p1', confidence: 0.9, because: ['price/p0'] });
        propose(price, { usd: -1 }, { id: 'p2' });
      },
    });
    const positive = promotionGate(
      'positive',
      (({ payload }: { payload: { usd: number } }) => payload.usd > 0 || 'a price is positive') as never,
    );
    await converge({
      name: 'pricing',
      families: [price],
      facts: [fact(price, { usd: 4 }, { id: 'p0' })],
      suggestors: [guesser],
      promotionGates: [positive],
      engine,
      runId: 'r_price',
    } as never);
    const [found] = factsOf(await recordOf(engine, 'r_price')).convergences;
    expect(found?.cycles.flatMap(({ rejected }) => rejected)).toContainEqual(
      expect.objectContaining({ ref: 'price/p2', by: 'guesser', reason: 'a price is positive', payload: { usd: -1 } }),
    );
    expect(isProved(found as ConvergenceView)).toBe(true);
  });
});
