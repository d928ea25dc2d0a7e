import type { Environment, EnvironmentOptions } from './perform/environment.js';
import { interpolateEnvironment } from './source/interpolate-environment.js';
import { readRegularFile } from './source/read-regular-file.js';

/** The files of a run, and the folder that it must not leave. */
export interface EnvironmentFiles {
  readonly files: Readonly<Record<string, string>>;
  readonly folder?: string | undefined;
}

/** The environment of steps, with the usual values filled in. */
export function makeEnvironment(options: EnvironmentOptions, { files, folder }: EnvironmentFiles): Environment {
  const env = options.env ?? process.env;
  return {
    ...options,
    env,
    workingDirectory: options.workingDirectory ?? process.cwd(),
    folder,
    readPartial(path) {
      const text = files[path] ?? readIfThere(path, folder);
      if (text === undefined) return undefined;
      const filled = interpolateEnvironment(text, env);
      if (typeof filled === 'string') return filled;
      throw new Error(`The environment variable ${filled.name} in ${path} cannot be resolved (${filled.reason}).`);
    },
  };
}

function readIfThere(path: string, folder: string | undefined): string | undefined {
  try {
    return readRegularFile(path, folder);
  } catch {
    // The template engine says where it looked.
    return undefined;
  }
}
