import { readFileSync } from 'node:fs';
import type { Environment, EnvironmentOptions } from './perform/environment.js';
import { interpolateEnvironment } from './source/interpolate-environment.js';

/** The environment of steps, with the usual values filled in. */
export function makeEnvironment(options: EnvironmentOptions, files: Readonly<Record<string, string>>): Environment {
  const env = options.env ?? process.env;
  return {
    ...options,
    env,
    workingDirectory: options.workingDirectory ?? process.cwd(),
    readPartial(path) {
      const text = files[path] ?? readIfThere(path);
      if (text === undefined) return undefined;
      const filled = interpolateEnvironment(text, env);
      if (typeof filled === 'string') return filled;
      throw new Error(`The environment variable ${filled.name} in ${path} cannot be resolved (${filled.reason}).`);
    },
  };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The template engine says where it looked.
    return undefined;
  }
}
