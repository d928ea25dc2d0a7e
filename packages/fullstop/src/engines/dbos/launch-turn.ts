import { setTimeout as delay } from 'node:timers/promises';
import type { ClientLike } from '../postgres/connection/sql.js';
import { presenceClass } from './presence-class.js';

const lookMs = 50;
const mostLooks = 1200;

/**
 * Does what makes or changes the tables of DBOS while no other process does. Whoever has asked for a minute does it all the same: the other one
 * may be frozen, and by then the tables are there.
 */
export async function inLaunchTurn<T>(session: ClientLike, dbosSchema: string, work: () => Promise<T>): Promise<T> {
  const values = [presenceClass, `launch ${dbosSchema}`];
  // Asked again and again, because a statement that waits for a lock holds a snapshot, and DBOS builds indexes that wait for every snapshot.
  const text = 'SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken';
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const [row] = (await session.query({ text, values })).rows as readonly { readonly taken: boolean }[];
    if (row?.taken === true) break;
    await delay(lookMs);
  }
  try {
    return await work();
  } finally {
    await session.query({ text: 'SELECT pg_advisory_unlock($1, hashtext($2))', values }).catch(() => undefined);
  }
}
