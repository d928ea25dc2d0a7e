const patienceMs = 120_000;
const longestLookMs = 2000;

/**
 * The safety net of tests that are bounded by work: how long they take is for the machine to say, but when nothing at all has changed for two
 * minutes, nothing will.
 */
export class StallWatch {
  readonly #describe: () => Promise<string>;
  #seen = '';
  #idleMs = 0;
  #lookedAt = Date.now();

  /** `describe` says what is being waited for. */
  constructor(describe: () => Promise<string>) {
    this.#describe = describe;
  }

  /** Takes note of how far the work is, and fails when it has stood still for too long. */
  async note(progress: Readonly<Record<string, number>>): Promise<void> {
    const seen = JSON.stringify(progress);
    const now = Date.now();
    // A machine that stood still itself has given nobody the time to do anything.
    const passed = Math.min(now - this.#lookedAt, longestLookMs);
    this.#lookedAt = now;
    this.#idleMs = seen === this.#seen ? this.#idleMs + passed : 0;
    this.#seen = seen;
    if (this.#idleMs < patienceMs) return;
    throw new Error(`Nothing has changed for ${patienceMs / 1000} s (${seen}). Waiting for ${await this.#describe()}`);
  }
}
