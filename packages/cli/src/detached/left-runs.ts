import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The runs on a server that somebody here has left to a worker of this machine: a folder with a file for each, so that nobody waits for anybody. */
export class LeftRuns {
  readonly #folder: string;

  constructor(beside: string) {
    this.#folder = `${beside}.left`;
  }

  add(runIds: readonly string[]): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const runId of runIds) writeFileSync(this.#fileOf(runId), runId, { mode: 0o600 });
  }

  remove(runId: string): void {
    rmSync(this.#fileOf(runId), { force: true });
  }

  list(): readonly string[] {
    return filesIn(this.#folder)
      .map((name) => textOf(join(this.#folder, name)))
      .filter((runId) => runId !== '');
  }

  #fileOf(runId: string): string {
    return join(this.#folder, createHash('sha256').update(runId).digest('hex'));
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was left here yet.
    return [];
  }
}

/** Empty for a file that is gone again, or is only being written. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
