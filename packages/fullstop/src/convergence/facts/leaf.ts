import type { JsonValue } from '../../termination/json.js';
import { canonicalJson } from '../../termination/text/canonical-json.js';
import type { Fact } from './fact.js';

/** Where the text of a leaf goes, piece by piece. */
export interface LeafWriter {
  add(piece: string): void;
  /** Adds a text as JSON has it. */
  quote(text: string): void;
}

/** Says all that a fact is, in one order and with the keys of its content sorted: the text of its leaf. */
export function writeLeaf(fact: Fact, writer: LeafWriter): void {
  const { key, id, subject, family, version, payload, confidence, provenance, by, cycle, clock } = fact;
  const { because, approval } = fact;
  // Keys and ids are checked and need no escapes.
  writer.add('["');
  writer.add(key);
  writer.add('","');
  writer.add(id);
  if (subject === undefined && family === key && version === 1) writer.add('",null,null,1,');
  else {
    writer.add(subject === undefined ? '",null,' : `",${JSON.stringify(subject)},`);
    writer.add(family === key ? 'null,' : `${JSON.stringify(family)},`);
    writer.add(`${version},`);
  }
  writeContent(payload, writer);
  writer.add(',');
  writer.add(String(confidence));
  writer.add(',');
  writer.quote(provenance);
  writer.add(',');
  writer.quote(by);
  writer.add(',');
  writer.add(String(cycle));
  writer.add(',');
  writer.add(String(clock));
  if (because === undefined && approval === undefined) writer.add(',null,null]');
  else {
    writer.add(because === undefined ? ',null' : `,${JSON.stringify(because)}`);
    writer.add(approval === undefined ? ',null]' : `,${canonicalJson(approval)}]`);
  }
}

/** Small contents are written where they go, because the way to the writer of JSON takes longer than the writing. */
function writeContent(payload: JsonValue, writer: LeafWriter): void {
  if (typeof payload === 'string') writer.quote(payload);
  else if (isFlat(payload)) writeFlat(payload, writer);
  else writer.add(contentText(payload));
}

type Flat = Readonly<Record<string, string | number>>;

/** True for an object of texts and numbers with its keys in order, as most contents are. */
function isFlat(payload: JsonValue): payload is Flat {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false;
  let last = '';
  for (const key in payload) {
    const member = (payload as Readonly<Record<string, JsonValue>>)[key];
    if (key < last || (typeof member !== 'string' && !Number.isFinite(member))) return false;
    last = key;
  }
  return true;
}

function writeFlat(payload: Flat, writer: LeafWriter): void {
  let before = '{';
  for (const key in payload) {
    const member = payload[key] as string | number;
    writer.add(before);
    writer.quote(key);
    writer.add(':');
    if (typeof member === 'string') writer.quote(member);
    else writer.add(String(member));
    before = ',';
  }
  writer.add(before === '{' ? '{}' : '}');
}

/** The text of a leaf in one piece. */
export function leafText(fact: Fact): string {
  let text = '';
  const add = (piece: string): void => {
    text += piece;
  };
  writeLeaf(fact, { add, quote: (quoted) => add(JSON.stringify(quoted)) });
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
