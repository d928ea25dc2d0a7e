import type { Engine } from '../engines/port/engine.js';
import { host } from '../engines/port/host.js';

/**
 * A new id of a run. Where runs outlive their process it must be unique everywhere, and nobody may guess it. In memory nobody
 * else can reach a run, so chance is enough there: a fresh process need not load its cryptography, which takes as long as a
 * twentieth of its first run.
 */
export function newRunId({ durable }: Pick<Engine, 'durable'>): string {
  return `r_${durable === false ? uuidByChance() : host.crypto.randomUUID()}`;
}

let owners = 0;

/** A new id of an owner that claims runs. Those of an engine in memory are all in this process, and are counted. */
export function newOwnerId(purpose: 'local' | 'sweep', { durable }: Pick<Engine, 'durable'>): string {
  if (durable !== false) return `${purpose}_${host.crypto.randomUUID()}`;
  owners += 1;
  return `${purpose}_${owners}`;
}

/** A UUID of version 4 whose bits come from `Math.random`. */
function uuidByChance(): string {
  return `${digits(8)}-${digits(4)}-4${digits(3)}-${'89ab'[Math.floor(Math.random() * 4)]}${digits(3)}-${digits(6)}${digits(6)}`;
}

/** So many hexadecimal digits, at most eight. Digit by digit: numbers that write themselves take several times as long. */
function digits(count: number): string {
  let bits = Math.floor(Math.random() * 0x1_0000_0000);
  let text = '';
  for (let index = 0; index < count; index += 1) {
    text += '0123456789abcdef'[bits & 15];
    bits >>>= 4;
  }
  return text;
}
