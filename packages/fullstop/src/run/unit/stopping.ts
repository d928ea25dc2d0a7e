import type { ErrorData } from '../../termination/errors/error-data.js';

/** Whether a member of a batch is to stop because another one failed. */
export class Stopping {
  readonly #listeners = new Set<() => void>();
  #stopped = false;
  /** True when it had not begun: then it never does, and has no entries. */
  dropped = false;

  get stopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  /** Calls back when it is to stop, at once if it is. Returns what removes the listener. */
  whenStopped(listener: () => void): () => void {
    if (this.#stopped) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const code = 'BATCH_STOPPED';

/** The error of a step that was stopped with its batch. */
export function batchStopped(key: string): ErrorData {
  return { name: 'BatchStopped', message: `${key} was stopped because another member of its batch failed.`, code };
}

/** Thrown to whoever waits when the batch stops. */
export function batchStoppedError(key: string): Error {
  return Object.assign(new Error(batchStopped(key).message), { name: 'BatchStopped', code });
}

export function isBatchStopped(error: ErrorData): boolean {
  return error.code === code;
}
