import { createSecrets, type Secrets } from '../run/secrets/secrets.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Names such as OPENAI_API_KEY, GITHUB_TOKEN or DB_PASSWORD. */
const secretName =
  /(?:^|_)(?:API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)$/i;
/** Shorter texts and plain numbers would be found by chance in texts that have nothing to do with them. */
const shortest = 8;
const plainNumber = /^[\d.,+-]*$/;

/** Seals what files take from the environment by a name that says it is secret; undefined when there is no such thing. */
export function environmentSecrets(files: Readonly<Record<string, string>>, env: Variables): Secrets | undefined {
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
      if (isSecret(name, value)) found[name] = value;
    }
  }
  return Object.keys(found).length === 0 ? undefined : createSecrets(found);
}

function isSecret(name: string, value: string): boolean {
  return secretName.test(name) && value.length >= shortest && !plainNumber.test(value) && /^[A-Za-z_]/.test(name);
}
