import { dirname, resolve } from 'node:path';
import { UsageError } from '../command-line/usage-error.js';
import type { LoadedConfig } from '../config/config.js';

export interface StoreLocation {
  /** The file, absolute. */
  readonly file: string;
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
  if (option !== undefined) return { file: fileOf(option, cwd), origin: '--store' };
  const variable = env['FULLSTOP_STORE'];
  if (variable !== undefined && variable !== '') return { file: fileOf(variable, cwd), origin: 'FULLSTOP_STORE' };
  const { config, file } = loaded;
  if (config.store !== undefined && file !== undefined)
    return { file: fileOf(config.store, dirname(file)), origin: { config: file } };
  return { file: resolve(cwd, '.fullstop', 'runs.db'), origin: 'default' };
}

function fileOf(text: string, folder: string): string {
  if (/^postgres(ql)?:\/\//.test(text))
    throw new UsageError(
      'Stores on Postgres are not available yet; this version keeps runs in a SQLite file. Name a file: --store .fullstop/runs.db.',
    );
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text))
    throw new UsageError(`A store is a file; ${JSON.stringify(text)} is an address of another kind.`);
  return resolve(folder, text);
}
