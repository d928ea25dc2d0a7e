import { resolve } from 'node:path';
import { FullstopError } from '../../termination/errors/fullstop-error.js';

/** Where runs are kept: a file, or a database of Postgres. */
export type StorePlace =
  | {
      readonly type: 'file';
      /** Absolute. */
      readonly file: string;
    }
  | {
      readonly type: 'postgres';
      /** The address, with its password if it has one. */
      readonly url: string;
      /** The address as people may see it. */
      readonly shown: string;
    };

/** The file that keeps runs where nothing else is named, from the working directory. */
export const usualStore = '.fullstop/runs.db';

/** The store that FULLSTOP_STORE names; undefined where it is empty or not set. */
export function storeVariable(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = env['FULLSTOP_STORE'];
  return named === '' ? undefined : named;
}

/** Reads what names a store, in FULLSTOP_STORE as everywhere: a file from the folder, or the address of a database. */
export function storePlace(named: string, folder: string): StorePlace {
  if (/^postgres(ql)?:\/\//.test(named)) return { type: 'postgres', url: named, shown: withoutPassword(named) };
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(named) ?? [];
  // The rest of it may hold a password.
  if (scheme !== undefined)
    throw refusal(
      `A store is a file, or a database such as postgres://user@host/runs; ${scheme}://… is an address of another kind.`,
    );
  return { type: 'file', file: resolve(folder, named) };
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address))
    throw refusal('The address of the store cannot be read; it must be like postgres://user:password@host:5432/runs.');
  const url = new URL(address);
  url.password = '';
  url.search = '';
  return url.href;
}

function refusal(message: string): FullstopError {
  return new FullstopError('INVALID_OPTION', message);
}
