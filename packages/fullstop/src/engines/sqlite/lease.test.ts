import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../port/clock.js';
import { Lease } from '../store/lease.js';
import type { Claimant } from '../store/operations.js';
import { OwnerSightings } from './core/owner-sightings.js';
import { StoreCore } from './core/store-core.js';
import { findDriver } from './driver/driver.js';
import { openEngine, startAndClaim, stepEnded, temporaryFile } from './engine.fixture.js';

const leaseMs = 10_000;
const hour = 3_600_000;

type Event =
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'begin' | 'commit' | 'report' | 'look' }
  | { readonly type: 'jump'; readonly ms: number };

const events = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 6000 }) }) },
    { weight: 6, arbitrary: fc.record({ type: fc.constantFrom('begin', 'commit', 'report', 'look') }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('jump' as const), ms: fc.integer({ min: -hour, max: hour }) }),
    },
  ) as fc.Arbitrary<Event>,
  { maxLength: 80 },
);

/** An owner and an observer, each with a steady clock of its own that began at another time; what the owner writes is seen once committed. */
class Pair {
  now = 0;
  wall = 0;
  readonly #sightings = new OwnerSightings({ givenTime: true });
  readonly #lease: Lease;
  readonly #observerAhead: number;
  #begun: Claimant[] = [];
  #committed: Claimant[] = [];
  #beat = 0;

  constructor(ownerAhead: number, observerAhead: number) {
    this.#observerAhead = observerAhead;
    this.#lease = new Lease({
      owner: { id: 'o', host: 'h', space: 's', pid: 1, startedAt: '1' },
      leaseMs,
      now: () => this.wall,
      monotonic: () => this.now + ownerAhead,
    });
  }

  apply(event: Event): void {
    if (event.type === 'pass') this.now += event.ms;
    else if (event.type === 'jump') this.wall += event.ms;
    else if (event.type === 'begin') this.#begun.push(this.#lease.claimant(''));
    else if (event.type === 'commit') {
      this.#beat = this.#begun.at(-1)?.beat ?? this.#beat;
      this.#committed.push(...this.#begun);
      this.#begun = [];
    } else if (event.type === 'report') {
      for (const claimant of this.#committed) this.#lease.renewed(claimant);
      this.#committed = [];
    }
  }

  look(): boolean {
    return this.#sightings.silenceOf('o', this.#beat, this.now + this.#observerAhead) >= leaseMs;
  }

  get isHeld(): boolean {
    return this.#lease.isValid;
  }
}

describe('a lease', () => {
  it('is over for its owner before another can take the run, whatever the clocks say', () => {
    fc.assert(
      fc.property(events, fc.integer(), fc.integer(), (story, ownerAhead, observerAhead) => {
        const pair = new Pair(ownerAhead, observerAhead);
        for (const event of story) {
          pair.apply(event);
          if (event.type === 'look' && pair.look()) {
            expect(pair.isHeld).toBe(false);
            return;
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('ends for every observer that keeps looking, whatever the clocks say', () => {
    fc.assert(
      fc.property(events, fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1 }), (story, pauses) => {
        const pair = new Pair(0, 0);
        for (const event of story) pair.apply(event);
        pair.look();
        let passed = 0;
        for (let index = 0; passed < leaseMs; index += 1) {
          const ms = pauses[index % pauses.length] as number;
          pair.apply({ type: 'jump', ms: index % 2 === 0 ? hour : -hour });
          pair.apply({ type: 'pass', ms });
          passed += ms;
          expect(pair.look()).toBe(passed >= leaseMs);
        }
      }),
    );
  });
});

describe('an observer whose question had to wait', () => {
  it('counts from its look, and takes nothing from an owner that it has seen just now', async () => {
    const file = temporaryFile();
    await startAndClaim(openEngine(file, { leaseMs: 1000 }), 'r');
    const core = new StoreCore({ driver: findDriver(), file, busyTimeoutMs: 1000 });
    // Asked long ago, before the process was frozen, and carried out when it was woken.
    const asked = (monotonic: number): unknown =>
      core.execute([{ name: 'deadOwners', input: { ownerId: 'observer', monotonic } }]);
    expect(asked(-1e9)).toEqual([{ ok: true, value: false }]);
    expect(asked(0)).toEqual([{ ok: true, value: false }]);
    core.close();
  });
});

describe('wall clocks that jump by an hour', () => {
  const wallClock = (): Clock & { offset: number; steady: number } => ({
    offset: 0,
    steady: 0,
    now() {
      return 1_800_000_000_000 + this.offset;
    },
    monotonic() {
      return this.steady;
    },
    callAt: () => () => undefined,
  });

  it.each([
    ['of the owner', 1, 0],
    ['of the observer', 0, 1],
    ['of both', 1, 1],
  ])('%s neither take a run from a live owner nor keep it from being taken over', async (_, ofOwner, ofObserver) => {
    const file = temporaryFile();
    const [mine, theirs] = [wallClock(), wallClock()];
    const [owner, observer] = [openEngine(file, { clock: mine }), openEngine(file, { clock: theirs })];
    const session = await startAndClaim(owner, 'run');
    for (const jump of [hour, -hour, 2 * hour, 0]) {
      mine.offset = jump * ofOwner;
      theirs.offset = jump * ofObserver;
      expect(await observer.claim('run', 'w')).toBeUndefined();
      expect(session.hold?.()).toBeUndefined();
      session.append(stepEnded(1));
      await session.flush();
    }
    mine.offset = -hour * ofOwner;
    theirs.offset = -hour * ofObserver;
    for (let look = 0; look < 4; look += 1) {
      theirs.steady += 2000;
      expect(await observer.claim('run', 'w')).toBeUndefined();
    }
    theirs.steady += 2000;
    expect(await observer.claim('run', 'w')).toBeDefined();
  });
});
