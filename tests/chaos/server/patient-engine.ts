import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { StoreEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';
import { FullstopError } from '../../../packages/fullstop/src/termination/errors/fullstop-error.js';

const retryMs = 100;

/** An engine whose server may be away for a while: whatever it is asked is asked again. */
export function patientEngine<TEngine extends StoreEngine>(engine: TEngine): TEngine {
  return new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || name === 'close') return member;
      return async (...given: readonly unknown[]): Promise<unknown> => {
        for (;;)
          try {
            return await (member as (...given: readonly unknown[]) => unknown)(...given);
          } catch (error) {
            if (!FullstopError.is(error) || error.code !== 'STORE_IO') throw error;
            await sleep(retryMs);
          }
      };
    },
  });
}

/** The rows that one statement returns, once the server answers. */
export async function patientAsk<TRow extends pg.QueryResultRow>(url: string, text: string): Promise<readonly TRow[]> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<TRow>(text)).rows;
    } catch {
      await sleep(retryMs);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
