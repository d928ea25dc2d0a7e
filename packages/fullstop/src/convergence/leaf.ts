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
  if (subject === undefined && family === key && version === 1) write('",null,null,1,');
  else {
    write(subject === undefined ? '",null,' : `",${JSON.stringify(subject)},`);
    write(family === key ? 'null,' : `${JSON.stringify(family)},`);
    write(`${version},`);
  }
  write(contentText(payload));
  write(',');
  write(String(confidence));
  write(',');
  writeQuoted(provenance, write);
  write(',');
  writeQuoted(by, write);
  write(',');
  write(String(cycle));
  write(',');
  write(String(clock));
  if (because === undefined && approval === undefined) write(',null,null]');
  else {
    write(because === undefined ? ',null' : `,${JSON.stringify(because)}`);
    write(approval === undefined ? ',null]' : `,${canonicalJson(approval)}]`);
  }
}

/** Printable ASCII without quotation marks and backslashes, as most names are. */
const isPlain = /^[ !#-[\]-~]*$/;

/** A text as JSON has it. */
function writeQuoted(text: string, write: (piece: string) => void): void {
  if (!isPlain.test(text)) {
    write(JSON.stringify(text));
    return;
  }
  write('"');
  write(text);
  write('"');
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
