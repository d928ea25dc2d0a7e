import { type Stats, statSync } from 'node:fs';
import { FullstopError } from '../../../../termination/errors/fullstop-error.js';

/**
 * Notices that a file was deleted, moved or replaced while it is open: what is written then goes to a file that nobody will
 * find again, and the operating system says nothing.
 */
export class FileGuard {
  readonly #file: string;
  readonly #opened: Stats | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#opened = statSync(file, { throwIfNoEntry: false });
  }

  get isThere(): boolean {
    return this.#finding() === undefined;
  }

  /** Throws where the name does not lead to the file that was opened. */
  check(): void {
    const finding = this.#finding();
    if (finding === undefined) return;
    throw new FullstopError(
      'STORE_GONE',
      `${this.#file} ${finding} while it was in use; what is written now would be lost. Put the file back with its -wal file, and start this process anew.`,
    );
  }

  #finding(): string | undefined {
    const now = statSync(this.#file, { throwIfNoEntry: false });
    if (now === undefined) return 'was deleted or moved';
    return now.ino === this.#opened?.ino && now.dev === this.#opened.dev ? undefined : 'was replaced by another file';
  }
}
