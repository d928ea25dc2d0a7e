import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../command-line/usage-error.js';
import { configProblems } from './check-config.js';
import type { Config, LoadedConfig } from './config.js';

const names = ['fullstop.config.json', 'fullstop.config.yaml', 'fullstop.config.yml', 'fullstop.config.mjs'];

/** Loads the configuration that was named, or the nearest one at or above a folder. */
export async function loadConfig(cwd: string, named: string | undefined): Promise<LoadedConfig> {
  const file = named === undefined ? nearest(cwd) : resolve(cwd, named);
  if (file === undefined) return { config: {} };
  if (!existsSync(file)) throw new UsageError(`There is no configuration ${file}.`);
  const value = await read(file);
  const problems = configProblems(value);
  if (problems.length > 0)
    throw new UsageError(`${file} cannot be used:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  return { config: value as Config, file };
}

function nearest(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).filter((file) => existsSync(file));
    if (found.length > 1) throw new UsageError(`There are two configurations, ${found.join(' and ')}. Keep one.`);
    if (found[0] !== undefined || dirname(folder) === folder) return found[0];
  }
}

async function read(file: string): Promise<unknown> {
  try {
    switch (extname(file)) {
      case '.json':
        return JSON.parse(readFileSync(file, 'utf8'));
      case '.yaml':
      case '.yml':
        return (await import('yaml')).parse(readFileSync(file, 'utf8'));
      case '.mjs':
      case '.js':
        return await defaultExport(file);
      default:
        throw new UsageError(`${file} has none of the endings .json, .yaml, .yml and .mjs.`);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

async function defaultExport(file: string): Promise<unknown> {
  const module = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
  if (module.default === undefined) throw new UsageError(`${file} has no default export.`);
  return module.default;
}
