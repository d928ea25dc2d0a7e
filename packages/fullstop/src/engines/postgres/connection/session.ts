import { randomInt } from 'node:crypto';
import { livenessClass } from '../core/owners.js';
import type { SessionClient } from './open-pool.js';

export interface SessionParts {
  open(): Promise<SessionClient>;
  readonly channel: string;
  readonly ownerId: string;
  /** Called when something in the store has changed, or may have. */
  onChange(): void;
  /** Called when the session has ended: from then on others take the process for dead. */
  onLost(): void;
}

/**
 * The one connection of a process that is its session: Postgres holds a lock for as long as it lives, which shows others that the process
 * does, and sends what others announce.
 */
export class Session {
  /** The second half of the number of its lock. */
  readonly lock: number = randomInt(1, 2 ** 31);
  readonly #parts: SessionParts;
  #client: SessionClient | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Opens it if there is none; whoever executes runs must have one, or others take them for dead. */
  ensure(): Promise<void> | undefined {
    if (this.#client !== undefined || this.#closed) return undefined;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    const client = await this.#parts.open();
    const lost = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#parts.onLost();
      // Whatever was announced meanwhile nobody heard.
      this.#parts.onChange();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => {
      // Whatever this process did itself it knows.
      if (payload !== this.#parts.ownerId) this.#parts.onChange();
    });
    try {
      await client.query({ text: 'SELECT pg_advisory_lock($1, $2)', values: [livenessClass, this.lock] });
      await client.query({ text: `LISTEN "${this.#parts.channel}"` });
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.#closed) await client.end();
    else {
      this.#client = client;
      // It only listens from now on, which is no reason for a process to stay.
      client.unref();
    }
  }

  get isOpen(): boolean {
    return this.#client !== undefined;
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
