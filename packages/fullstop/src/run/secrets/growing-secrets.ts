import { withVariables } from './environment-secrets.js';
import { joinSecrets, markGrowing } from './join-secrets.js';
import { createSecrets, type Secrets } from './secrets.js';

/** Secrets that more are added to while a run is under way, because they are known only then. */
export interface GrowingSecrets extends Secrets {
  /** Seals these too from now on. */
  add(more: Secrets): void;
}

/** Begins with these and the variables of the environment, which make way for a secret of the same name. */
export function growingSecrets(
  first: Secrets | undefined,
  variables: Readonly<Record<string, string>> = {},
): GrowingSecrets {
  let known = first;
  let all = withVariables(known, variables) ?? createSecrets({});
  return markGrowing({
    get names() {
      return all.names;
    },
    seal: (value) => all.seal(value),
    unseal: (value) => all.unseal(value),
    mask: (value) => all.mask(value),
    add(more) {
      known = joinSecrets(known, more);
      all = withVariables(known, variables) ?? all;
    },
  });
}
