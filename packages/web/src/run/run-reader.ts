import { type ApiFailure, getJson, withParameters } from '../api/client.js';
import { merged, type RunBody, runPath, type SentRun } from './run-data.js';

/** A run as far as it was read. A failed reading keeps what was there and says so. */
export interface HeldRun {
  readonly runId: string;
  readonly body?: RunBody;
  readonly failure?: ApiFailure;
}

const quietTime = 250;

/** Reads one run: at first all of it, then what is new after the last entry. However much is asked for, one question is under way. */
export class RunReader {
  readonly #runId: string;
  readonly #tell: (held: HeldRun) => void;
  #held: HeldRun;
  #isReading = false;
  #isWanted = false;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runId: string, tell: (held: HeldRun) => void) {
    this.#runId = runId;
    this.#tell = tell;
    this.#held = { runId };
  }

  /** Reads soon: what comes close together is read at once. */
  want(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.read();
    }, quietTime);
  }

  async read(): Promise<void> {
    this.#isWanted = this.#isReading;
    if (this.#isReading) return;
    this.#isReading = true;
    const held = await this.#ask();
    this.#isReading = false;
    if (this.#isClosed) return;
    this.#held = held;
    this.#tell(held);
    if (this.#isWanted) this.want();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<HeldRun> {
    const runId = this.#runId;
    const { body } = this.#held;
    const after = body?.head.seq ?? 0;
    try {
      const fresh = await getJson<SentRun>(withParameters(runPath(runId), { after: after === 0 ? undefined : after }));
      return { runId, body: merged(body, fresh, after) };
    } catch (failure) {
      return { runId, ...(body !== undefined && { body }), failure: failure as ApiFailure };
    }
  }
}
