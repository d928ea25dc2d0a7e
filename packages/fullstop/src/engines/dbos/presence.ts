import { clearTimeout, setTimeout } from 'node:timers';
import type { SessionClient } from '../postgres/connection/open-pool.js';
import { inLaunchTurn } from './launch-turn.js';
import { presenceClass } from './presence-class.js';

/** How long a server that gives out no session is left alone before it is asked again. */
const retryMs = 1000;

/**
 * Shows to all others what a process has, by locks that its session shares and that Postgres releases when the process dies: its executor, the
 * version of its application, the queues that it listens to, and the definitions that it can execute.
 */
export class Presence {
  readonly #open: () => Promise<SessionClient>;
  readonly #names = new Set<string>();
  #client: SessionClient | undefined;
  #opening: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(open: () => Promise<SessionClient>) {
    this.#open = open;
  }

  async show(names: readonly string[]): Promise<void> {
    const added = names.filter((name) => !this.#names.has(name));
    for (const name of added) this.#names.add(name);
    if (this.#client !== undefined) await lock(this.#client, added);
    await this.ensure();
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

  /** Opens the session where there is none. Settles when everything is shown. */
  async ensure(): Promise<void> {
    if (this.#client === undefined && !this.#closed)
      this.#opening ??= this.#connect().finally(() => {
        this.#opening = undefined;
      });
    await this.#opening;
  }

  async #connect(): Promise<void> {
    const client = await this.#open();
    if (this.#closed) return client.end();
    const lost = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      // At once, whoever looks or not: until then others take this process for gone.
      this.#comeBack();
    };
    client.on('error', lost);
    client.on('end', lost);
    // From here on: what is shown while the locks are under way is locked after them.
    this.#client = client;
    await lock(client, [...this.#names]);
    client.unref();
  }

  #comeBack(): void {
    clearTimeout(this.#retry);
    if (this.#closed) return;
    this.ensure().catch(() => {
      this.#retry = setTimeout(() => this.#comeBack(), retryMs).unref();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#opening?.catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    client?.ref();
    await client?.end().catch(() => undefined);
  }
}

async function lock(client: SessionClient, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  try {
    const { rows } = await client.query({
      text: 'SELECT pg_advisory_lock_shared($1, hashtext(name)), pg_is_in_recovery() AS "isStandby" FROM unnest($2::text[]) AS name',
      values: [presenceClass, names],
    });
    // It gives locks too, which nobody sees who looks at the primary.
    if ((rows as readonly { readonly isStandby: boolean }[]).some(({ isStandby }) => isStandby))
      throw new Error('The server is a standby.');
  } catch (error) {
    // Nobody knows what it shows: the next one shows everything.
    await client.end().catch(() => undefined);
    throw error;
  }
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

/** Shows that processes of a version take what is on a queue; without one, that they take what is on any. */
export function listenName(dbosSchema: string, version: string, queue = ''): string {
  return `${listenPrefix(dbosSchema)}${version}\n${queue}`;
}

export function listenPrefix(dbosSchema: string): string {
  return `listens ${dbosSchema} `;
}
