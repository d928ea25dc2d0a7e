import { readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../command-line/usage-error.js';
import { configProblems } from './check-config.js';
import type { Config, LoadedConfig } from './config.js';
import { projectRoot, refuseUntrusted } from './config-trust.js';

const dataNames = ['fullstop.config.json', 'fullstop.config.yaml', 'fullstop.config.yml'];
const programName = 'fullstop.config.mjs';

/** Which configurations a command may use: any, only those that execute nothing, or none. */
export type ConfigUse = 'any' | 'data' | 'none';

export interface ConfigQuestion {
  readonly cwd: string;
  /** The file that someone has named. */
  readonly named: string | undefined;
  readonly use?: ConfigUse;
  readonly user?: number | undefined;
}

/** Loads the configuration that was named, or the nearest one at or above a folder. */
export async function loadConfig({ cwd, named, use = 'any', user = userId() }: ConfigQuestion): Promise<LoadedConfig> {
  if (use === 'none') return { config: {} };
  const root = projectRoot(cwd);
  const file = named === undefined ? nearest(cwd, use === 'any' ? root : undefined) : resolve(cwd, named);
  if (file === undefined) return { config: {} };
  if (!isFile(file)) throw new UsageError(`There is no configuration ${file}.`);
  if (isProgram(file)) {
    if (use === 'data')
      throw new UsageError(
        `This command executes no configuration, so that it cannot use ${file}. Name a JSON or YAML file.`,
      );
    refuseUntrusted({ file, root: named === undefined ? root : undefined, user });
  }
  const value = await read(file);
  const problems = configProblems(value);
  if (problems.length > 0)
    throw new UsageError(`${file} cannot be used:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  return { config: value as Config, file };
}

function userId(): number | undefined {
  return process.geteuid?.();
}

/** A pipe that someone has put there would be waited for without end. */
function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function isProgram(file: string): boolean {
  return ['.mjs', '.js'].includes(extname(file));
}

/** Data may be anywhere above. A program is looked for inside the project only: what lies above may be anyone's. */
function nearest(cwd: string, project: string | undefined): string | undefined {
  let isInside = project !== undefined;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const names = isInside ? [...dataNames, programName] : dataNames;
    const found = names.map((name) => join(folder, name)).filter(isFile);
    if (found.length > 1) throw new UsageError(`There are two configurations, ${found.join(' and ')}. Keep one.`);
    if (found[0] !== undefined || dirname(folder) === folder) return found[0];
    if (folder === project) isInside = false;
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
