import { suggestion } from '../../termination/suggestion.js';
import type { DocumentPath, Report } from '../source/problem.js';
import { entryOf, type MapEntry, type MapNode, type YamlNode } from '../source/yaml-node.js';
import type { StepType } from './document.js';
import { stepFields } from './step-fields.js';
import { stepKinds } from './step-kinds.js';

interface StepSpot {
  readonly node: MapNode;
  readonly path: DocumentPath;
  readonly report: Report;
}

export const stepTypes: readonly StepType[] = Object.keys(stepKinds) as StepType[];

/** Keys that may stand, empty, in a step that has no use for them. */
const harmlessWhenEmpty: ReadonlySet<string> = new Set([
  'prompt',
  'provider',
  'model',
  'system_prompt',
  'options',
  'command',
  'args',
  'env',
  'working_dir',
  'workflow',
  'routes',
]);

/** Where one type of step is an exception to that. */
function isHarmlessWhenEmpty(type: StepType, key: string): boolean {
  if (type === 'questions' && (key === 'options' || key === 'output')) return key === 'output';
  return harmlessWhenEmpty.has(key);
}

/** Required keys that must hold something, with the words of the message. */
const requirements: Readonly<Record<string, string>> = {
  command: "'command'",
  duration: "'duration'",
  options: "'options'",
  prompt: "'prompt'",
  reason: "a non-empty 'reason'",
  status: "'status' (success or failed)",
  use: "'use'",
  workflow: "a 'workflow' path",
};

/** The type of a step; reported and undefined when there is no such type. */
export function stepTypeOf(spot: StepSpot): StepType | undefined {
  const value = entryOf(spot.node, 'type')?.value;
  if (value === undefined || value.kind === 'null') return 'agent';
  const name = value.kind === 'string' ? value.text : undefined;
  if (name !== undefined && Object.hasOwn(stepKinds, name)) return name as StepType;
  const close = name === undefined ? '' : suggestion(name, stepTypes);
  const message = `Expected one of ${stepTypes.join(', ')}${close}`;
  const text = name === undefined ? {} : { text: name };
  spot.report.error({ code: 'NOT_A_CHOICE', message, at: value.at, path: [...spot.path, 'type'], ...text });
  return undefined;
}

/** Reports unknown keys, keys of other types of step, keys that do nothing here, and missing ones. */
export function checkStepKeys(type: StepType, spot: StepSpot): void {
  for (const entry of spot.node.entries) checkKey(type, entry, spot);
  for (const key of stepKinds[type].required) {
    if (key === 'name') continue;
    const value = entryOf(spot.node, key)?.value;
    if (value !== undefined && !isMissing(key, value)) continue;
    const message = `${type} agents require ${requirements[key] ?? `'${key}'`}`;
    spot.report.error({ code: 'MISSING_KEY', message, at: value?.at ?? spot.node.at, path: [...spot.path, key] });
  }
}

function checkKey(type: StepType, entry: MapEntry, spot: StepSpot): void {
  const { key, keyIsText, keyAt, value } = entry;
  const { required, optional, ignored } = stepKinds[type];
  const own: readonly string[] = ['type', ...required, ...optional];
  if (keyIsText && own.includes(key)) return;
  const path = [...spot.path, key];
  if (!keyIsText || !Object.hasOwn(stepFields, key)) {
    const message = `Unknown key '${key}'${suggestion(key, own)}`;
    spot.report.error({ code: 'UNKNOWN_KEY', message, at: keyAt, path, text: key });
    return;
  }
  if (value.kind === 'null' || (isHarmlessWhenEmpty(type, key) && isEmpty(key as keyof typeof stepFields, value)))
    return;
  if ((ignored as readonly string[]).includes(key)) {
    const message = `'${key}' has no effect on ${type} agents`;
    spot.report.warn({ code: 'KEY_WITHOUT_EFFECT', message, at: keyAt, path, text: key });
    return;
  }
  const owners = stepTypes.filter((other) => takes(other, key));
  const message = `'${type}' agents cannot have '${key}' (only ${owners.join(', ')} agents can)`;
  const hint =
    key === 'status' || key === 'output_template' ? { hint: "Add 'type: terminate' if the workflow ends here" } : {};
  spot.report.error({ code: 'KEY_NOT_ALLOWED', message, at: keyAt, path, text: key, ...hint });
}

function takes(type: StepType, key: string): boolean {
  const { required, optional } = stepKinds[type];
  return [...required, ...optional].some((own) => own === key);
}

/** Whether a value of the right type holds nothing. */
function isEmpty(key: keyof typeof stepFields, node: YamlNode): boolean {
  const { type } = stepFields[key];
  if (type === 'list') return node.kind === 'list' && node.items.length === 0;
  if (type === 'map') return node.kind === 'map' && node.entries.length === 0;
  return node.kind === 'string' && node.text === '';
}

/** A reason of blanks says nothing; a prompt or a command of blanks is left to fail when it is used. */
function isMissing(key: string, node: YamlNode): boolean {
  if (node.kind === 'string') return (key === 'reason' ? node.text.trim() : node.text) === '';
  if (node.kind === 'list') return node.items.length === 0;
  return node.kind === 'map' ? node.entries.length === 0 : node.kind === 'null' && !node.broken;
}
