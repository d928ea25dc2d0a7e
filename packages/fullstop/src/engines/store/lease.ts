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
  #revokedAt = Number.NEGATIVE_INFINITY;
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
    if (monotonic < this.#revokedAt) return;
    this.#revokedAt = Number.NEGATIVE_INFINITY;
    this.#until = Math.max(this.#until, monotonic + leaseMs * (this.#options.reliedOn ?? usuallyReliedOn));
  }

  /** Called when others may take this process for dead from now on; only what is written after that is a sign of life. */
  revoke(): void {
    this.#revokedAt = this.#options.monotonic();
  }

  /** Whether effects may begin: others certainly leave this process its runs. */
  get isValid(): boolean {
    return !this.isOver && this.#revokedAt === Number.NEGATIVE_INFINITY;
  }

  /** Whether the time has passed in which the last sign of life counts. */
  get isOver(): boolean {
    return this.#options.monotonic() >= this.#until;
  }
}
