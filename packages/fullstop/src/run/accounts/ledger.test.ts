import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Charge } from '../../engines/port/usage.js';
import type { RunLimits } from '../limits.js';
import { Ledger } from './ledger.js';

const tokens = fc.nat({ max: 1000 });
const charge: fc.Arbitrary<Charge> = fc.record(
  {
    inputTokens: tokens,
    outputTokens: tokens,
    costUsd: fc.nat({ max: 100 }),
    counters: fc.dictionary(fc.constantFrom('calls', 'turns'), tokens),
  },
  { requiredKeys: [] },
);

/** A tree of accounts: each but the first has one of those before it as its parent. */
interface Tree {
  readonly parents: readonly number[];
  readonly limits: readonly RunLimits[];
}

const limit = fc.integer({ min: 1, max: 3000 });
const limitsArbitrary = fc.record(
  { tokens: limit, costUsd: limit, steps: fc.integer({ min: 1, max: 20 }) },
  { requiredKeys: [] },
) as fc.Arbitrary<RunLimits>;
const tree: fc.Arbitrary<Tree> = fc.integer({ min: 1, max: 7 }).chain((size) =>
  fc.record({
    parents: fc.tuple(
      ...Array.from({ length: size }, (_, index) => (index === 0 ? fc.constant(-1) : fc.nat({ max: index - 1 }))),
    ),
    limits: fc.array(limitsArbitrary, { minLength: size, maxLength: size }),
  }),
);

function build({ parents, limits }: Tree): readonly Ledger[] {
  const ledgers: Ledger[] = [];
  for (const [index, parent] of parents.entries()) ledgers.push(new Ledger(limits[index] ?? {}, ledgers[parent]));
  return ledgers;
}

/** True when an account lies at or below another. */
function isWithin(node: number, ancestor: number, { parents }: Tree): boolean {
  for (let current: number | undefined = node; current !== undefined && current >= 0; current = parents[current]) {
    if (current === ancestor) return true;
  }
  return false;
}

const bookings = fc.array(fc.tuple(fc.nat({ max: 6 }), fc.option(charge, { nil: undefined })), { maxLength: 30 });

describe('Ledger', () => {
  test('holds at every node the sum of the charges at and below it', () => {
    fc.assert(
      fc.property(tree, bookings, (shape, booked) => {
        const ledgers = build(shape);
        const made = booked.map(([node, each]) => [node % ledgers.length, each] as const);
        for (const [node, each] of made) ledgers[node]?.book(each);
        for (const [index, ledger] of ledgers.entries()) {
          const below = made.filter(([node]) => isWithin(node, index, shape)).map(([, each]) => each);
          const sum = (read: (each: Charge) => number | undefined): number =>
            below.reduce((total, each) => total + (each === undefined ? 0 : (read(each) ?? 0)), 0);
          expect(ledger.steps).toBe(below.length);
          expect(ledger.usage.inputTokens).toBe(sum((each) => each.inputTokens));
          expect(ledger.usage.outputTokens).toBe(sum((each) => each.outputTokens));
          expect(ledger.counters['calls'] ?? 0).toBe(sum((each) => each.counters?.['calls']));
          const unpriced = below.some(
            (each) => each?.costUsd === undefined && (each?.inputTokens ?? 0) + (each?.outputTokens ?? 0) > 0,
          );
          expect(ledger.costUsd).toBe(unpriced ? null : sum((each) => each.costUsd));
        }
      }),
    );
  });

  test('is the same when it is restored from entries as when they were booked', () => {
    fc.assert(
      fc.property(fc.array(charge), (charges) => {
        const [booked, restored] = [new Ledger({}), new Ledger({})];
        for (const each of charges) booked.book(each);
        for (const each of charges) restored.restore(each);
        expect([restored.usage, restored.costUsd, restored.steps, restored.counters]).toEqual([
          booked.usage,
          booked.costUsd,
          booked.steps,
          booked.counters,
        ]);
      }),
    );
  });

  test('has exceeded a limit exactly when it is used up here or further out, and names the nearest', () => {
    fc.assert(
      fc.property(tree, bookings, (shape, booked) => {
        const ledgers = build(shape);
        for (const [node, each] of booked) ledgers[node % ledgers.length]?.book(each);
        const spentAt = (node: number): number =>
          booked.reduce(
            (sum, [at, each]) => sum + (isWithin(at % ledgers.length, node, shape) ? (each?.costUsd ?? 0) : 0),
            0,
          );
        for (const [index, ledger] of ledgers.entries()) {
          const outward = [...ledgers.keys()].filter((other) => isWithin(index, other, shape)).reverse();
          const nearest = outward.find((other) => isUsedUp(ledgers[other] as Ledger, spentAt(other)));
          expect(ledger.exceeded()?.ledger).toBe(nearest === undefined ? undefined : ledgers[nearest]);
        }
      }),
    );
  });

  test('leaves at most what the tightest unit around leaves', () => {
    fc.assert(
      fc.property(tree, bookings, (shape, booked) => {
        const ledgers = build(shape);
        for (const [node, each] of booked) ledgers[node % ledgers.length]?.book(each);
        for (const [index, ledger] of ledgers.entries()) {
          expect(ledger.remaining().tokens).toBe(tokensLeft(ledgers, index, shape));
        }
      }),
    );
  });

  test('never lets reservations in flight exceed a limit, so that the overshoot is what was not reserved', () => {
    fc.assert(
      fc.property(tree, fc.array(wishOfCall, { maxLength: 40 }), (shape, wishes) => {
        const ledgers = build(shape);
        const { open, inputs } = play(ledgers, wishes);
        for (const { limits, usage } of ledgers) {
          expect(usage.totalTokens).toBeLessThanOrEqual((limits.tokens ?? Number.POSITIVE_INFINITY) + inputs);
        }
        for (const { release } of open) release();
        for (const [index, ledger] of ledgers.entries()) {
          expect(ledger.remaining().tokens).toBe(tokensLeft(ledgers, index, shape));
        }
      }),
    );
  });

  test('never refuses a share of what is left, never exceeds a limit with it, and leaves nobody waiting', () => {
    fc.assert(
      fc.property(tree, fc.array(wishOfCall, { maxLength: 40 }), (shape, wishes) => {
        const ledgers = build(shape);
        const { open, inputs } = play(ledgers, wishes, shareOf);
        for (const { limits, usage } of ledgers)
          expect(usage.totalTokens).toBeLessThanOrEqual((limits.tokens ?? Number.POSITIVE_INFINITY) + inputs);
        let woken = 0;
        let waiting = 0;
        for (const ledger of ledgers.filter((each) => each.exceeded() === undefined)) {
          const share = ledger.share({ outputTokens: 400 });
          if ('release' in share) share.release();
          else {
            waiting += 1;
            share.whenReleased(() => (woken += 1));
          }
        }
        for (const { release } of open) release();
        expect(woken).toBe(waiting);
      }),
    );
  });

  test('returns a share that fits exactly what is left, and the account to wait at while others hold it', () => {
    const run = new Ledger({ costUsd: 0.03, tokens: 1000 });
    const [one, other] = [new Ledger({}, run), new Ledger({ tokens: 700 }, run)];
    const wish = { outputTokens: 1000, costUsd: 0.1 };
    const first = one.share(wish);
    expect(first).toMatchObject({ room: { tokens: { left: 1000 }, cost: { left: 0.03 } } });
    expect(other.share(wish)).toBe(run);
    if ('release' in first) first.release();
    run.book({ outputTokens: 10, costUsd: 0.001 });
    expect(other.share(wish)).toMatchObject({ room: { tokens: { left: 700 }, cost: { left: 0.029 } } });
  });

  test('reports the cost budget before the token budget before the steps', () => {
    const ledger = new Ledger({ costUsd: 1, tokens: 1, steps: 1 });
    ledger.book({ inputTokens: 1, costUsd: 1 });
    expect(ledger.exceeded()?.termination).toEqual({ kind: 'cost_budget', limitUsd: 1, usedUsd: 1 });
  });
});

const wishOfCall: fc.Arbitrary<Wish> = fc.record({
  node: fc.nat({ max: 6 }),
  output: fc.integer({ min: 1, max: 400 }),
  input: fc.nat({ max: 50 }),
  ends: fc.boolean(),
});

interface Wish {
  readonly node: number;
  readonly output: number;
  readonly input: number;
  readonly ends: boolean;
}

/** Makes reservations and ends some of them, oldest first; returns those that are still open and the inputs that were booked. */
function play(
  ledgers: readonly Ledger[],
  wishes: readonly Wish[],
  take: (ledger: Ledger, output: number) => Taken | undefined = reservationOf,
): { readonly open: readonly Reserved[]; readonly inputs: number } {
  const open: Reserved[] = [];
  let inputs = 0;
  for (const { node, output, input, ends } of wishes) {
    const ledger = ledgers[node % ledgers.length] as Ledger;
    const taken = take(ledger, output);
    if (taken !== undefined) open.push({ ledger, input, ...taken });
    if (ends) inputs += settle(open.shift());
  }
  return { open, inputs };
}

function reservationOf(ledger: Ledger, output: number): Taken | undefined {
  const held = ledger.reserve({ outputTokens: output });
  return typeof held === 'function' ? { output, release: held } : undefined;
}

/** Uses all of a share, as a call does that is cut at its cap; nothing where others hold what is left. */
function shareOf(ledger: Ledger, output: number): Taken | undefined {
  if (ledger.exceeded() !== undefined) return undefined;
  const share = ledger.share({ outputTokens: output });
  if (!('release' in share)) return undefined;
  return { output: Math.min(output, share.room.tokens?.left ?? output), release: () => share.release() };
}

interface Taken {
  readonly output: number;
  release(): void;
}

interface Reserved extends Taken {
  readonly ledger: Ledger;
  readonly input: number;
}

/** Books what a reservation was made for, and releases it; a second time changes nothing. */
function settle(reserved: Reserved | undefined): number {
  if (reserved === undefined) return 0;
  reserved.ledger.book({ inputTokens: reserved.input, outputTokens: reserved.output, costUsd: 0 });
  reserved.release();
  reserved.release();
  return reserved.input;
}

function isUsedUp({ limits, usage, steps }: Ledger, spent: number): boolean {
  const {
    costUsd = Number.POSITIVE_INFINITY,
    tokens: most = Number.POSITIVE_INFINITY,
    steps: mostSteps = Number.POSITIVE_INFINITY,
  } = limits;
  return spent >= costUsd || usage.totalTokens >= most || steps >= mostSteps;
}

/** The room that the tightest token limit at or around an account leaves. */
function tokensLeft(ledgers: readonly Ledger[], index: number, shape: Tree): number | undefined {
  const outward = ledgers.filter((_, other) => isWithin(index, other, shape));
  const lefts = outward.flatMap(({ limits, usage }) =>
    limits.tokens === undefined ? [] : [Math.max(0, limits.tokens - usage.totalTokens)],
  );
  return lefts.length === 0 ? undefined : Math.min(...lefts);
}
