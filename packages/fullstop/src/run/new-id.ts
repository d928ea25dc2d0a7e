import type { Engine } from '../engines/port/engine.js';
import { host } from '../engines/port/host.js';

/**
 * A new id. Where runs outlive their process it must be unique everywhere, and nobody may guess it. In memory nobody else can
 * reach a run, so chance is enough there: a fresh process need not load its cryptography, which takes as long as a tenth of
 * its first run.
 */
export function newId(prefix: 'r' | 'local' | 'sweep', { durable }: Pick<Engine, 'durable'>): string {
  return `${prefix}_${durable === false ? uuidByChance() : host.crypto.randomUUID()}`;
}

/** A UUID of version 4 whose bits come from `Math.random`. */
function uuidByChance(): string {
  const [first, second, third, fourth] = [eightDigits(), eightDigits(), eightDigits(), eightDigits()] as const;
  const variant = '89ab'.charAt(Math.floor(Math.random() * 4));
  return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-${variant}${third.slice(1, 4)}-${third.slice(4)}${fourth}`;
}

function eightDigits(): string {
  return Math.floor(Math.random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');
}
