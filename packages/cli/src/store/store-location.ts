import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
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
  const variable = env['FULLSTOP_STORE'];
  if (variable !== undefined && variable !== '')
    return { ...placeOf(variable, { folder: cwd, cwd }), origin: 'FULLSTOP_STORE' };
  const { config, file } = loaded;
  if (config.store !== undefined && file !== undefined)
    return { ...placeOf(config.store, { folder: dirname(file), cwd }), origin: { config: file } };
  return { ...placeOf('.fullstop/runs.db', { folder: cwd, cwd }), origin: 'default' };
}

function placeOf(
  text: string,
  { folder, cwd }: { readonly folder: string; readonly cwd: string },
): Omit<StoreLocation, 'origin'> {
  if (/^postgres(ql)?:\/\//.test(text))
    return { file: withoutPassword(text), server: text, beside: besideServer(text, cwd) };
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text))
    throw new UsageError(
      `A store is a file, or a database such as postgres://user@host/runs; ${JSON.stringify(text)} is an address of another kind.`,
    );
  const file = resolve(folder, text);
  return { file, beside: file };
}

function besideServer(address: string, cwd: string): string {
  return resolve(cwd, '.fullstop', `server-${createHash('sha256').update(address).digest('hex').slice(0, 16)}`);
}

/** The address as people may see it. */
function withoutPassword(address: string): string {
  if (!URL.canParse(address))
    throw new UsageError(
      'The address of the store cannot be read; it must be like postgres://user:password@host:5432/runs.',
    );
  const url = new URL(address);
  url.password = '';
  url.search = '';
  return url.href;
}
