import { isSecretVariable } from '../run/secrets/environment-secrets.js';
import { createSecrets, type Secrets } from '../run/secrets/secrets.js';

/** Seals what files take from the environment by a name that says it is secret; undefined when there is no such thing. */
export function fileSecrets(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Secrets | undefined {
  const found: Record<string, string> = {};
  const seen = new Set<string>();
  const texts = Object.values(files);
  for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
    for (const [, name = ''] of text.matchAll(/\$\{(\w+)/g)) {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value === undefined || seen.has(name)) continue;
      seen.add(name);
      // A value may name further variables.
      texts.push(value);
      if (isSecretVariable(name, value)) found[name] = value;
    }
  }
  return Object.keys(found).length === 0 ? undefined : createSecrets(found);
}
