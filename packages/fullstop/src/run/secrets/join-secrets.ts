import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { Secrets } from './secrets.js';

/** All of them at once: what one has sealed the others leave as it is. */
export function joinSecrets(...all: readonly (Secrets | undefined)[]): Secrets | undefined {
  const [first, ...others] = new Set(all.filter((each) => each !== undefined));
  return others.reduce((joined, each) => (joined === undefined ? each : joinTwo(joined, each)), first);
}

function joinTwo(first: Secrets, second: Secrets): Secrets {
  const isShared = (name: string): boolean => first.names.includes(name) && hasSameValue(name, first, second);
  const addsNothing = second.names.every(isShared);
  // One that has nothing yet may get more.
  return addsNothing && !isGrowing(second) ? first : composeSecrets(first, second);
}

/** Both, where no name has two values. */
export function composeSecrets(first: Secrets, second: Secrets): Secrets {
  const names = (): readonly string[] => [...new Set([...first.names, ...second.names])];
  const both = {
    seal: <T>(value: T): T => second.seal(first.seal(value)),
    unseal: <T>(value: T): T => second.unseal(first.unseal(value)),
    mask: <T>(value: T): T => second.mask(first.mask(value)),
  };
  if (!isGrowing(first) && !isGrowing(second)) return { names: names(), ...both };
  let compared = 0;
  const compare = (): void => {
    const count = first.names.length + second.names.length;
    if (count === compared) return;
    for (const name of second.names) if (first.names.includes(name)) hasSameValue(name, first, second);
    compared = count;
  };
  const unseal = <T>(value: T): T => {
    compare();
    return both.unseal(value);
  };
  return markGrowing({
    get names() {
      return names();
    },
    ...both,
    unseal,
  });
}

const growing = new WeakSet<Secrets>();

/** Marks secrets that more are added to later. */
export function markGrowing<S extends Secrets>(secrets: S): S {
  growing.add(secrets);
  return secrets;
}

function isGrowing(secrets: Secrets): boolean {
  return growing.has(secrets);
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
