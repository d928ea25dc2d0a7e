import { assertNever } from '../../termination/assert-never.js';
import { suggestion } from '../../termination/text/suggestion.js';
import { jsonTextOf } from '../source/json-text.js';
import { entryOf, type MapNode, type YamlNode } from '../source/yaml-node.js';
import type { Step } from './document.js';
import { durationSeconds } from './duration-seconds.js';
import type { Field, Fields, ListField, MapField, RecordField } from './field.js';
import {
  type Invalid,
  invalid,
  type MapSpot,
  readBoolean,
  readChoice,
  readNumber,
  readText,
  type Spot,
  wrongType,
} from './read-scalar.js';
import { recordRules } from './record-rules.js';
import { type RecordTable, recordTables } from './record-tables.js';
import { refuse } from './rule-spot.js';
import { checkStepKeys, findShape } from './step-keys.js';
import type { StepShape } from './steps/step-shape.js';
import { fieldOf } from './steps/step-table.js';

/** The value of a field, or `invalid` after its problems were reported. */
export function readField(field: Field, spot: Spot): unknown {
  if (spot.node.kind === 'null' && spot.node.broken) return invalid;
  switch (field.type) {
    case 'string':
    case 'template':
    case 'condition':
      return readText(field, spot);
    case 'integer':
    case 'number':
      return readNumber(field, spot);
    case 'boolean':
      return readBoolean(spot);
    case 'choice':
      return readChoice(field, spot);
    case 'duration':
      return readDuration(spot);
    case 'scalar':
      return readAnyScalar(spot);
    case 'json':
      return readJson(spot);
    case 'list':
      return readList(field, spot);
    case 'map':
      return readMap(field, spot);
    case 'record':
      return readRecord(field, spot);
    case 'step':
      return readStep(spot);
    default:
      return assertNever('Unknown type of field', field);
  }
}

function readDuration(spot: Spot): string | number | Invalid {
  const { node, path, report } = spot;
  if (node.kind === 'integer' || node.kind === 'float') return Number(node.text);
  if (node.kind !== 'string') return wrongType(spot, 'a duration such as 30, 250ms, 2s, 5m or 1h');
  if (node.text.includes('{{') || durationSeconds(node.text) !== undefined) return node.text;
  const message = 'Expected a duration such as 30, 250ms, 2s, 5m or 1h';
  report.error({ code: 'BAD_DURATION', message, at: node.at, path, text: node.text });
  return invalid;
}

function readAnyScalar(spot: Spot): string | number | boolean | Invalid {
  const { node } = spot;
  if (node.kind === 'string') return node.text;
  if (node.kind === 'boolean') return node.text === 'true';
  if (node.kind === 'integer' || node.kind === 'float') return Number(node.text);
  return wrongType(spot, 'a text, a number or a boolean');
}

function readJson(spot: Spot): string | Invalid {
  const { node, path, report } = spot;
  const text = jsonTextOf(node);
  if (!/(?:NaN|Infinity)/.test(text) || !hasNumberOutsideJson(node)) return text;
  report.error({ code: 'WRONG_TYPE', message: 'JSON has no infinite numbers', at: node.at, path });
  return invalid;
}

function hasNumberOutsideJson(node: YamlNode): boolean {
  if (node.kind === 'list') return node.items.some(hasNumberOutsideJson);
  if (node.kind === 'map') return node.entries.some(({ value }) => hasNumberOutsideJson(value));
  return node.kind === 'float' && !Number.isFinite(Number(node.text));
}

function readList(field: ListField, spot: Spot): readonly unknown[] | Invalid {
  const { node, path, report } = spot;
  if (field.or_single && node.kind === 'string') {
    const single = readField(field.of, spot);
    return single === invalid ? invalid : [single];
  }
  if (node.kind !== 'list') return wrongType(spot, 'a list');
  const items = node.items.map((item, index) => readField(field.of, { ...spot, node: item, path: [...path, index] }));
  if (field.at_least !== undefined && items.length < field.at_least) {
    report.error({
      code: 'TOO_FEW',
      message: `This must contain at least ${field.at_least} entries`,
      at: node.at,
      path,
    });
    return invalid;
  }
  return items.includes(invalid) ? invalid : items;
}

function readMap(field: MapField, spot: Spot): ReadonlyMap<string, unknown> | Invalid {
  const { node, path, report } = spot;
  if (node.kind !== 'map') return wrongType(spot, 'a mapping');
  const values = new Map<string, unknown>();
  let isValid = true;
  for (const { key, keyIsText, keyAt, value } of node.entries) {
    if (!keyIsText && field.of.type !== 'json') {
      report.error({
        code: 'BAD_KEY',
        message: 'A key must be text',
        at: keyAt,
        path: [...path, key],
        text: key,
        hint: 'Put it in quotes',
      });
    }
    const read = readField(field.of, { ...spot, node: value, path: [...path, key] });
    isValid &&= read !== invalid && (keyIsText || field.of.type === 'json');
    values.set(key, read);
  }
  return isValid ? values : invalid;
}

function readRecord(field: RecordField, spot: Spot): object | Invalid {
  const { node, report, path } = spot;
  if (field.text_as !== undefined && node.kind === 'string') {
    const entry = { key: field.text_as, keyIsText: true, keyAt: node.at, value: node };
    return readRecord(field, { ...spot, node: { kind: 'map', entries: [entry], at: node.at, size: 2 } });
  }
  if (node.kind !== 'map') return wrongType(spot, field.text_as === undefined ? 'a mapping' : 'a text or a mapping');
  const table = recordTables[field.of];
  const before = report.problems.length;
  const record = readFields(table, { ...spot, node });
  if (record !== invalid) recordRules[field.of]?.({ value: record, node, path, report });
  return report.problems.slice(before).some(({ severity }) => severity === 'error') ? invalid : record;
}

/** Reads the keys that a table has; an absent key gets its default. */
export function readFields(table: RecordTable, spot: MapSpot): Readonly<Record<string, unknown>> | Invalid {
  checkKeys(table, spot);
  const record: Record<string, unknown> = {};
  let isValid = true;
  for (const [key, field] of Object.entries(table.fields)) {
    const value = readKey(key, field, spot);
    if (value === invalid) isValid = false;
    else if (value !== undefined) record[key] = value;
  }
  return isValid ? record : invalid;
}

function checkKeys(table: RecordTable, spot: MapSpot): void {
  const { node, path, report } = spot;
  const known = Object.keys(table.fields);
  for (const { key, keyIsText, keyAt } of node.entries) {
    if (keyIsText && known.includes(key)) continue;
    const finding = { code: 'UNKNOWN_KEY', at: keyAt, path: [...path, key], text: key };
    const close = suggestion(key, known);
    if (table.unknownKeys === 'error') report.error({ ...finding, message: `Unknown key '${key}'${close}` });
    else report.warn({ ...finding, message: `Unknown key '${key}' is ignored${close}` });
  }
}

/** The value of one key, its default, or undefined when it is absent and may be. */
export function readKey(key: string, field: Field, spot: MapSpot): unknown {
  const { node, path, report } = spot;
  const value = node.entries.find((entry) => entry.key === key && entry.keyIsText)?.value;
  if (value === undefined) {
    if (!field.required) return defaultOf(field);
    report.error({ code: 'MISSING_KEY', message: `The key '${key}' is missing`, at: node.at, path: [...path, key] });
    return invalid;
  }
  const mayBeNull = field.or_null || (!field.required && field.default === undefined);
  if (value.kind === 'null' && !value.broken && mayBeNull) return undefined;
  return readField(field, { ...spot, node: value, path: [...path, key] });
}

function defaultOf(field: Field): unknown {
  if (field.default === undefined) return undefined;
  if (field.type === 'map') return new Map();
  return field.type === 'record' ? defaultsOf(recordTables[field.of].fields) : field.default;
}

function defaultsOf(fields: Fields): Readonly<Record<string, unknown>> {
  const pairs = Object.entries(fields).map(([key, field]) => [key, defaultOf(field)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

/** Reads a step by its type; keys of other types are refused, and keys that do nothing are left out. */
function readStep(spot: Spot): object | Invalid {
  const { node, path, report } = spot;
  if (node.kind !== 'map') return wrongType(spot, 'a mapping');
  const before = report.problems.length;
  const hasErrors = (): boolean => report.problems.slice(before).some(({ severity }) => severity === 'error');
  const mapSpot = { ...spot, node };
  const shape = findShape(mapSpot);
  if (shape === undefined) return invalid;
  checkStepKeys(shape, mapSpot);
  const record = readStepFields(shape, mapSpot);
  if (record === invalid || hasErrors()) return invalid;
  const ruled = { value: record as unknown as Step, node, path, report };
  shape.check(ruled);
  checkRootOutput(mapSpot);
  return hasErrors() ? invalid : record;
}

/** The fields of an output itself are always there; only members of objects may be left out. */
function checkRootOutput(spot: MapSpot): void {
  const output = entryOf(spot.node, 'output')?.value;
  for (const { key, value } of output?.kind === 'map' ? output.entries : []) {
    const required = value.kind === 'map' ? entryOf(value, 'required')?.value : undefined;
    if (required === undefined || readBoolean({ ...spot, node: required }) !== false) continue;
    refuse({ ...spot, value: undefined }, 'output', `The output field '${key}' cannot be optional (required: false)`);
  }
}

function readStepFields(shape: StepShape<Step>, spot: MapSpot): object | Invalid {
  const { required, optional, ignored } = shape.keys;
  const own: ReadonlySet<string> = new Set([...required, ...optional]);
  const unused: ReadonlySet<string> = new Set(ignored);
  const record: Record<string, unknown> = { type: shape.type };
  let isValid = true;
  for (const [key, field] of Object.entries(spot.steps.fields)) {
    if (!own.has(key) && !unused.has(key) && !isNull(spot.node, key)) continue;
    const value = readKey(key, fieldOf(shape, key) ?? field, spot);
    isValid &&= value !== invalid;
    if (!own.has(key) || value === undefined) continue;
    record[key] = value;
    const file = fileOfText(spot.node, key);
    if (file !== undefined) record[`${key}_file`] = file;
  }
  return isValid ? record : invalid;
}

/** Null is no absent key: where a key has a default it is of the wrong type, in steps that do not take the key too. */
function isNull(node: MapNode, key: string): boolean {
  return entryOf(node, key)?.value.kind === 'null';
}

/** The file that a prompt was taken from; of other texts it does not matter. */
function fileOfText(node: MapNode, key: string): string | undefined {
  if (key !== 'prompt' && key !== 'system_prompt') return undefined;
  const text = node.entries.find((entry) => entry.key === key)?.value;
  return text?.kind === 'string' ? text.from : undefined;
}
