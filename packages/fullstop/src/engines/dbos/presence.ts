import type { SessionClient } from '../postgres/connection/open-pool.js';
import { inLaunchTurn } from './launch-turn.js';
import { presenceClass } from './presence-class.js';

/**
 * Shows to all others what a process has, by locks that its session shares and that Postgres releases when the process dies: its executor, the
 * version of its application, and the definitions that it can execute.
 */
export class Presence {
  readonly #open: () => Promise<SessionClient>;
  readonly #names = new Set<string>();
  #client: SessionClient | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;

  constructor(open: () => Promise<SessionClient>) {
    this.#open = open;
  }

  async show(names: readonly string[]): Promise<void> {
    const added = names.filter((name) => !this.#names.has(name));
    for (const name of added) this.#names.add(name);
    const client = this.#client;
    if (client === undefined) await this.ensure();
    else await lock(client, added);
  }

  async hide(names: readonly string[]): Promise<void> {
    const known = names.filter((name) => this.#names.delete(name));
    if (known.length > 0 && this.#client !== undefined)
      await this.#client.query({
        text: 'SELECT pg_advisory_unlock_shared($1, hashtext(name)) FROM unnest($2::text[]) AS name',
        values: [presenceClass, known],
      });
  }

  /** Launches DBOS, or does what else only one process at a time should do to its tables. */
  async inLaunchTurn<T>(dbosSchema: string, work: () => Promise<T>): Promise<T> {
    await this.ensure();
    return this.#client === undefined ? work() : inLaunchTurn(this.#client, dbosSchema, work);
  }

  /** Opens the session again where it was lost. */
  async ensure(): Promise<void> {
    if (this.#client !== undefined || this.#closed) return;
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #connect(): Promise<void> {
    const client = await this.#open();
    const lost = (): void => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await lock(client, [...this.#names]);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.#closed) await client.end();
    else {
      this.#client = client;
      client.unref();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    client?.ref();
    await client?.end().catch(() => undefined);
  }
}

async function lock(client: SessionClient, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await client.query({
    text: 'SELECT pg_advisory_lock_shared($1, hashtext(name)) FROM unnest($2::text[]) AS name',
    values: [presenceClass, names],
  });
}

export function executorName(executorId: string): string {
  return `executor ${executorId}`;
}

/** The beginning of names of versions, which statements complete. */
export const versionPrefix = 'version ';

export function servedName(schema: string, name: string, version: string): string {
  return `${servedPrefix(schema)}${name}\n${version}`;
}

export function servedPrefix(schema: string): string {
  return `runs ${schema} `;
}
