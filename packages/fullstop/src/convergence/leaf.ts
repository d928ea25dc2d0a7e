import { canonicalJson } from '../stop/fingerprint.js';
import type { JsonValue } from '../termination/json.js';
import type { Fact } from './fact.js';

/** Says all that a fact is, in one order and with the keys of its content sorted, piece by piece: the text of its leaf. */
export function writeLeaf(fact: Fact, write: (piece: string) => void): void {
  const { key, id, subject, family, version, payload, confidence, provenance, by, cycle, clock } = fact;
  const { because, approval } = fact;
  // Keys and ids are checked and need no escapes.
  write('["');
  write(key);
  write('","');
  write(id);
  write(subject === undefined ? '",null,' : `",${JSON.stringify(subject)},`);
  write(family === key ? 'null,' : `${JSON.stringify(family)},`);
  write(String(version));
  write(',');
  write(contentText(payload));
  write(',');
  write(String(confidence));
  write(',');
  write(JSON.stringify(provenance));
  write(',');
  write(JSON.stringify(by));
  write(',');
  write(String(cycle));
  write(',');
  write(String(clock));
  write(because === undefined ? ',null' : `,${JSON.stringify(because)}`);
  write(approval === undefined ? ',null]' : `,${canonicalJson(approval)}]`);
}

/** The text of a leaf in one piece. */
export function leafText(fact: Fact): string {
  let text = '';
  writeLeaf(fact, (piece) => {
    text += piece;
  });
  return text;
}

/** JSON text that does not depend on the order of keys. */
export function contentText(payload: JsonValue): string {
  return isSorted(payload) ? JSON.stringify(payload) : canonicalJson(payload);
}

/** True when every object in it has its keys in order already, as most small ones have. */
function isSorted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  let last = '';
  for (const key in value) {
    if (key < last) return false;
    last = key;
    const member = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof member === 'object' && !isSorted(member)) return false;
  }
  return true;
}
