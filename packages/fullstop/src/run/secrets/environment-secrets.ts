import { composeSecrets } from './join-secrets.js';
import { createSecrets, type Secrets } from './secrets.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Names such as OPENAI_API_KEY, GITHUB_TOKEN, PGPASSWORD or SMTP_PASS. */
const secretName =
  /(?:(?:^|_)(?:API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|ENCRYPTION_?KEY|SECRET|TOKEN|PASS|PASSPHRASE|PASSWD|PAT|CREDENTIALS?)|PASSWORD)$/i;
const usableName = /^[A-Za-z_][\w.-]*$/;
/** Shorter texts and plain numbers would be found by chance in texts that have nothing to do with them. */
const shortest = 8;
const plainNumber = /^[\d.,+-]*$/;
/** So would a word such as `postgres` or `changeme`. */
const plainWord = /^(?:[a-z]{1,15}|[A-Z]{1,15}|[A-Z][a-z]{1,14})$/;
/** GOOGLE_APPLICATION_CREDENTIALS and the like say where the secret is. */
const path = /^(?:[/~.]|[A-Za-z]:[\\/])/;

/** Whether a variable is a secret by its name and worth looking for by its value. */
export function isSecretVariable(name: string, value: string): boolean {
  return secretName.test(name) && usableName.test(name) && value.length >= shortest && !plainNumber.test(value);
}

/** The variables that are secret by their names, whoever reads them. `texts` are public: a value that stands there is none. */
export function secretVariables(env: Variables, texts: readonly string[] = []): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !isSecretVariable(name, value) || plainWord.test(value)) continue;
    if (/credentials?$/i.test(name) && path.test(value)) continue;
    if (!texts.some((text) => text.includes(value))) found[name] = value;
  }
  return found;
}

/**
 * Secrets of the variables whose names say that they are secret (`…_API_KEY`, `…_TOKEN`, `…PASSWORD` and so on); undefined
 * when there is none. Values of fewer than eight characters, plain numbers and single words are left out. They are hidden
 * only: `unseal` leaves their placeholders as they are.
 */
export function environmentSecrets(env: Variables): Secrets | undefined {
  return withVariables(undefined, secretVariables(env));
}

/**
 * Nobody has asked for these variables to be used, so that their placeholders stay what they are: else a model that writes
 * one would get the value.
 */
function hideOnly(secrets: Secrets): Secrets {
  return { ...secrets, unseal: (value) => value };
}

/** These secrets and the variables of the environment. One whose name has another value already gets a longer name. */
export function withVariables(
  known: Secrets | undefined,
  variables: Readonly<Record<string, string>>,
): Secrets | undefined {
  const named = Object.entries(variables).flatMap(([name, value]) => {
    if (known === undefined || !known.names.includes(name)) return [[name, value] as const];
    return known.unseal(`{{secret:${name}}}`) === value ? [] : [[`env.${name}`, value] as const];
  });
  if (named.length === 0) return known;
  const more = hideOnly(createSecrets(Object.fromEntries(named)));
  return known === undefined ? more : composeSecrets(known, more);
}
