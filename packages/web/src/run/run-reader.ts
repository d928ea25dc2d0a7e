import { type ApiFailure, getJson, withParameters } from '../api/client.js';
import { merged, type RunBody, type RunHeadView, runPath, type SentRun } from './run-data.js';

/** A run as far as it was read. A failed reading keeps what was there and says so. */
export interface HeldRun {
  readonly runId: string;
  /** The words of the list about it, until its journal has been read and verified. */
  readonly head?: RunHeadView;
  readonly body?: RunBody;
  readonly failure?: ApiFailure;
}

/** Milliseconds in which what changed again is read together with it. */
export const quietTime = 250;

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
    if (this.#held.body === undefined) await this.#readHead();
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

  /** Says at once what is known of a run whose journal may take its time. Whatever is wrong is said by the reading that follows. */
  async #readHead(): Promise<void> {
    const runId = this.#runId;
    const head = await getJson<RunHeadView>(runPath(runId, '/head')).catch(() => undefined);
    if (head === undefined || this.#isClosed) return;
    this.#held = { runId, head };
    this.#tell(this.#held);
  }

  async #ask(): Promise<HeldRun> {
    const runId = this.#runId;
    const { body, head } = this.#held;
    const after = body?.head.seq ?? 0;
    try {
      const fresh = await getJson<SentRun>(withParameters(runPath(runId), { after: after === 0 ? undefined : after }));
      return { runId, body: merged(body, fresh, after) };
    } catch (failure) {
      return {
        runId,
        ...(body !== undefined && { body }),
        ...(head !== undefined && { head }),
        failure: failure as ApiFailure,
      };
    }
  }
}
