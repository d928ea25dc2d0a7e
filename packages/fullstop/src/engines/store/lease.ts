import type { Claimant, Owner } from './operations.js';

export interface LeaseOptions {
  readonly owner: Owner;
  readonly leaseMs: number;
  now(): number;
  monotonic(): number;
  /** The part of the lease in which its owner relies on it; nine tenths unless given. */
  readonly reliedOn?: number | undefined;
}

/** The usual part of a lease in which its owner relies on it: clocks do not all run at the same speed. */
const usuallyReliedOn = 0.9;

/**
 * The right of this process to begin effects of the runs that it has. It counts from the instant at which a renewal was begun,
 * and others count from the instant at which they see it, which is later: so the owner always stops first.
 */
export class Lease {
  readonly #options: LeaseOptions;
  #until = Number.NEGATIVE_INFINITY;
  #beat = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** A sign of life that is about to be written. Each has its own number, so that others see that it is a new one. */
  claimant(worker: string): Claimant {
    const { owner, leaseMs, now, monotonic } = this.#options;
    this.#beat += 1;
    return { owner, worker, now: now(), monotonic: monotonic(), beat: this.#beat, leaseMs };
  }

  /** Called when a sign of life has been written. */
  renewed({ monotonic, leaseMs }: Claimant): void {
    this.#until = Math.max(this.#until, monotonic + leaseMs * (this.#options.reliedOn ?? usuallyReliedOn));
  }

  get isValid(): boolean {
    return this.#options.monotonic() < this.#until;
  }
}
