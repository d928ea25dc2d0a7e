import { suggestion } from '../../termination/text/suggestion.js';
import { entryOf, type MapEntry, type YamlNode } from '../source/yaml-node.js';
import type { Step } from './document.js';
import type { Field } from './field.js';
import type { MapSpot, SchemaSpot } from './read-scalar.js';
import type { StepShape } from './steps/step-shape.js';

/** The shape of a step by its type, an agent's when it names none; reported and undefined when there is no such type. */
export function findShape(spot: MapSpot): StepShape<Step> | undefined {
  const { steps, report, path } = spot;
  const value = entryOf(spot.node, 'type')?.value;
  if (value === undefined || value.kind === 'null') return steps.of({ type: usualType }).shape;
  const name = value.kind === 'string' ? value.text : undefined;
  const row = name === undefined ? undefined : steps.find(name);
  if (row !== undefined) return row.shape;
  const close = name === undefined ? '' : suggestion(name, steps.names);
  const message = `Expected one of ${steps.names.join(', ')}${close}`;
  const text = name === undefined ? {} : { text: name };
  report.error({ code: 'NOT_A_CHOICE', message, at: value.at, path: [...path, 'type'], ...text });
  return undefined;
}

/** The type of a step that names none. */
export const usualType = 'agent';

/** Reports unknown keys, keys of other types of step, keys that do nothing here, and missing ones. */
export function checkStepKeys(shape: StepShape<Step>, spot: MapSpot): void {
  for (const entry of spot.node.entries) checkKey(shape, entry, spot);
  for (const key of shape.keys.required) {
    if (key === 'name') continue;
    const value = entryOf(spot.node, key)?.value;
    if (value !== undefined && !isMissing(key, value)) continue;
    const message = `${shape.type} agents require ${spot.steps.fields[key]?.requirement ?? `'${key}'`}`;
    spot.report.error({ code: 'MISSING_KEY', message, at: value?.at ?? spot.node.at, path: [...spot.path, key] });
  }
}

function checkKey(shape: StepShape<Step>, entry: MapEntry, spot: MapSpot): void {
  const { key, keyIsText, keyAt, value } = entry;
  const { type, keys } = shape;
  const own: readonly string[] = ['type', ...keys.required, ...keys.optional];
  if (keyIsText && own.includes(key)) return;
  const path = [...spot.path, key];
  const field = keyIsText && Object.hasOwn(spot.steps.fields, key) ? spot.steps.fields[key] : undefined;
  if (field === undefined) {
    const message = `Unknown key '${key}'${suggestion(key, own)}`;
    spot.report.error({ code: 'UNKNOWN_KEY', message, at: keyAt, path, text: key });
    return;
  }
  if (value.kind === 'null' || (isHarmlessWhenEmpty(shape, key, field) && isEmpty(field, value))) return;
  if (keys.ignored.includes(key)) {
    const message = `'${key}' has no effect on ${type} agents`;
    spot.report.warn({ code: 'KEY_WITHOUT_EFFECT', message, at: keyAt, path, text: key });
    return;
  }
  const message = `'${type}' agents cannot have '${key}' (only ${ownersOf(spot, key).join(', ')} agents can)`;
  const hint = field.elsewhere === undefined ? {} : { hint: field.elsewhere };
  spot.report.error({ code: 'KEY_NOT_ALLOWED', message, at: keyAt, path, text: key, ...hint });
}

/** The types of step that take a key. */
function ownersOf({ steps }: SchemaSpot, key: string): readonly string[] {
  return steps.rows.flatMap(({ shape: { type, keys } }) =>
    keys.required.includes(key) || keys.optional.includes(key) ? [type] : [],
  );
}

function isHarmlessWhenEmpty({ whenEmpty }: StepShape<Step>, key: string, field: Field): boolean {
  if (whenEmpty?.refused.includes(key) === true) return false;
  return field.harmless_when_empty === true || whenEmpty?.accepted.includes(key) === true;
}

/** Whether a value of the right type holds nothing. */
function isEmpty({ type }: Field, node: YamlNode): boolean {
  if (type === 'list') return node.kind === 'list' && node.items.length === 0;
  if (type === 'map') return node.kind === 'map' && node.entries.length === 0;
  return node.kind === 'string' && node.text === '';
}

/** A reason of blanks says nothing; a prompt or a command of blanks fails when it is used. */
function isMissing(key: string, node: YamlNode): boolean {
  if (node.kind === 'string') return (key === 'reason' ? node.text.trim() : node.text) === '';
  if (node.kind === 'list') return node.items.length === 0;
  return node.kind === 'map' ? node.entries.length === 0 : node.kind === 'null' && !node.broken;
}
