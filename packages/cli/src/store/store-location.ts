import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { FullstopError } from 'fullstop';
import { type StorePlace, storePlace, storeVariable, usualStore } from 'fullstop/engines/environment';
import { UsageError } from '../command-line/usage-error.js';
import type { LoadedConfig } from '../config/config.js';

export interface StoreLocation {
  /** The file, absolute; of a server its address without the password, for people. */
  readonly file: string;
  /** The address of a server of Postgres, where runs are kept on one. */
  readonly server?: string;
  /** The beginning of the names of files beside the store; of a server, in `.fullstop` of the working directory. */
  readonly beside: string;
  /** Where it comes from. */
  readonly origin: '--store' | 'FULLSTOP_STORE' | 'default' | { readonly config: string };
}

export interface StoreQuestion {
  readonly option: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly loaded: LoadedConfig;
}

/** Where runs are kept: the option first, then FULLSTOP_STORE, then the configuration, then `.fullstop/runs.db` here. */
export function storeLocation({ option, env, cwd, loaded }: StoreQuestion): StoreLocation {
  if (option !== undefined) return { ...placeOf(option, { folder: cwd, cwd }), origin: '--store' };
  const variable = storeVariable(env);
  if (variable !== undefined) return { ...placeOf(variable, { folder: cwd, cwd }), origin: 'FULLSTOP_STORE' };
  const { config, file } = loaded;
  if (config.store !== undefined && file !== undefined)
    return { ...placeOf(config.store, { folder: dirname(file), cwd }), origin: { config: file } };
  return { ...placeOf(usualStore, { folder: cwd, cwd }), origin: 'default' };
}

function placeOf(
  text: string,
  { folder, cwd }: { readonly folder: string; readonly cwd: string },
): Omit<StoreLocation, 'origin'> {
  const place = readPlace(text, folder);
  switch (place.type) {
    case 'file':
      return { file: place.file, beside: place.file };
    case 'postgres':
      return { file: place.shown, server: place.url, beside: besideServer(place.url, cwd) };
    default:
      return place satisfies never;
  }
}

function readPlace(text: string, folder: string): StorePlace {
  try {
    return storePlace(text, folder);
  } catch (error) {
    throw FullstopError.is(error) ? new UsageError(error.message) : error;
  }
}

function besideServer(address: string, cwd: string): string {
  return resolve(cwd, '.fullstop', `server-${createHash('sha256').update(address).digest('hex').slice(0, 16)}`);
}
