import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { Secrets } from './secrets.js';

/** All of them at once: what one has sealed the others leave as it is. */
export function joinSecrets(...all: readonly (Secrets | undefined)[]): Secrets | undefined {
  const [first, ...others] = new Set(all.filter((each) => each !== undefined));
  return others.reduce((joined, each) => (joined === undefined ? each : joinTwo(joined, each)), first);
}

function joinTwo(first: Secrets, second: Secrets): Secrets {
  const isShared = (name: string): boolean => first.names.includes(name) && hasSameValue(name, first, second);
  return second.names.every(isShared) ? first : composeSecrets(first, second);
}

/** Both, where no name has two values. */
export function composeSecrets(first: Secrets, second: Secrets): Secrets {
  return {
    names: [...new Set([...first.names, ...second.names])],
    seal: (value) => second.seal(first.seal(value)),
    unseal: (value) => second.unseal(first.unseal(value)),
    mask: (value) => second.mask(first.mask(value)),
  };
}

/** A placeholder is only a name: with two values for it, one call would be made with the secret of another. */
function hasSameValue(name: string, first: Secrets, second: Secrets): boolean {
  const placeholder = `{{secret:${name}}}`;
  const [one, other] = [first.unseal(placeholder), second.unseal(placeholder)];
  // What is only hidden is never part of a call.
  if (one === placeholder || other === placeholder) return false;
  if (one === other) return true;
  throw new FullstopError(
    'INVALID_OPTION',
    `Two secrets of one run are named ${name} and have different values; give one of them another name.`,
  );
}
