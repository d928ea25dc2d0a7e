import { joinSecrets } from './join-secrets.js';
import { createSecrets, type Secrets } from './secrets.js';

/** Secrets that more are added to while a run is under way, because they are known only then. */
export interface GrowingSecrets extends Secrets {
  /** Seals these too from now on. */
  add(more: Secrets): void;
}

export function growingSecrets(first: Secrets = createSecrets({})): GrowingSecrets {
  let all = first;
  return {
    get names() {
      return all.names;
    },
    seal: (value) => all.seal(value),
    unseal: (value) => all.unseal(value),
    mask: (value) => all.mask(value),
    add(more) {
      all = joinSecrets(all, more) ?? all;
    },
  };
}
