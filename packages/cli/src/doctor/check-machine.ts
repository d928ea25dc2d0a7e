import { statSync } from 'node:fs';
import type { Invocation } from '../command-line/command.js';
import { fileErrorText } from '../command-line/file-error.js';
import { isThere } from '../command-line/is-there.js';
import type { LoadedConfig } from '../config/config.js';
import { counted, grouped } from '../journal/number-text.js';
import type { StoreLocation } from '../store/store-location.js';
import type { Check } from './check.js';

const [leastMajor, leastMinor] = [20, 19];

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  return isNew
    ? { name: 'Node', status: 'good', found: version }
    : { name: 'Node', status: 'bad', found: version, todo: `Install Node ${leastMajor}.${leastMinor} or newer.` };
}

export function checkConfig({ file }: LoadedConfig): Check {
  if (file === undefined)
    return { name: 'configuration', status: 'note', found: 'none; everything is as it is by default' };
  return { name: 'configuration', status: 'good', found: file };
}

/** Opens the store if there is one, and counts what is in it. */
export async function checkStore({ file, server, origin }: StoreLocation): Promise<readonly Check[]> {
  const from = typeof origin === 'string' ? origin : origin.config;
  try {
    if (server === undefined && !isThere(file))
      return [
        {
          name: 'store',
          status: 'note',
          found: `${file} (${from}) does not exist yet`,
          todo: 'fullstop run FILE makes it.',
        },
      ];
    const { openServer, openToRead } = await import('../store/open-store.js');
    const engine = server === undefined ? openToRead(file) : await openServer(server);
    try {
      const { runs, next } = await engine.list({ limit: 1000 });
      const waiting = runs.filter(({ category }) => category === 'paused').length;
      const size = server === undefined ? `${Math.ceil(statSync(file).size / 1024)} KB, ` : '';
      return [
        {
          name: 'store',
          status: 'good',
          found: `${file} (${from}), ${size}${next === undefined ? counted(runs.length, 'run') : `more than ${grouped(runs.length)} runs`}`,
        },
        ...(server === undefined ? openToOthers(file) : []),
        ...(waiting === 0
          ? []
          : [
              {
                name: 'waiting',
                status: 'note',
                found: `${counted(waiting, 'run')} ${waiting === 1 ? 'waits' : 'wait'} for an answer`,
                todo: 'fullstop runs --category paused',
              } as const,
            ]),
      ];
    } finally {
      await engine.close();
    }
  } catch (error) {
    return [
      {
        name: 'store',
        status: 'bad',
        found: `${file} (${from}) cannot be used`,
        todo: fileErrorText(error) ?? (error as Error).message,
      },
    ];
  }
}

/** Journals hold what models and people said: they are nobody else's business. */
function openToOthers(file: string): readonly Check[] {
  const { mode } = statSync(file);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  return [
    {
      name: 'permissions',
      status: 'note',
      found: `others can read the store (mode ${(mode & 0o777).toString(8)})`,
      todo: `chmod 600 ${file}*`,
    },
  ];
}

/** Every setting that counts, and where it comes from. */
export function checkSettings(
  { config, file = '' }: LoadedConfig,
  location: StoreLocation,
  env: Invocation['env'],
): readonly Check[] {
  const setting = (name: string, found: string, origin: string): Check => ({
    name: `  ${name}`,
    status: 'good',
    found: `${found}  (${origin})`,
  });
  const origin = typeof location.origin === 'string' ? location.origin : location.origin.config;
  const { store: _store, secrets = [], ...rest } = config;
  return [
    setting('store', location.file, origin),
    ...Object.entries(rest).map(([name, value]) => setting(name, JSON.stringify(value), file)),
    ...secrets.map((name): Check => {
      const isSet = env[name] !== undefined && env[name] !== '';
      const found = `${name} is ${isSet ? 'set and sealed' : 'not set'}  (${file})`;
      return {
        name: '  secret',
        status: isSet ? 'good' : 'note',
        found,
        ...(!isSet && { todo: `Set ${name}, or take it out of secrets.` }),
      };
    }),
  ];
}
