import { entryOf, nameOfKind, type YamlNode } from '../source/yaml-node.js';
import { compilePattern } from './compile-pattern.js';
import type { RecordName } from './field.js';
import { providerRule } from './provider-rule.js';
import type { InputDefinition, OutputField, PartRecords } from './record-types.js';
import { checkDottedSource, checkPlugins, checkSkills, isIdentifier, isPathLike } from './rule-checks.js';
import { type RuleSpot, refuse } from './rule-spot.js';

/** A group is checked by what it says itself, before its step is known. */
interface RuledRecords extends PartRecords {
  readonly ForEachGroup: { readonly source: string; readonly as: string };
}

type Rules = { readonly [N in keyof RuledRecords]?: (spot: RuleSpot<RuledRecords[N]>) => void };

const rules: Rules = {
  ForEachGroup: (spot) => {
    const { source, as } = spot.value;
    checkDottedSource(spot, source);
    if (['workflow', 'context', 'output', '_index', '_key'].includes(as)) {
      refuse(spot, 'as', `The loop variable '${as}' conflicts with reserved name '${as}'`);
    } else if (!isIdentifier(as)) {
      refuse(spot, 'as', `The loop variable '${as}' must be an identifier`);
    }
  },
  InputDefinition: (spot) => {
    const value = entryOf(spot.node, 'default')?.value;
    if (value === undefined || value.kind === 'null' || isOfType(value, spot.value.type)) return;
    refuse(spot, 'default', `The default value must be of type '${spot.value.type}', but this is ${nameOfKind(value)}`);
  },
  McpServer: (spot) => {
    const { type, command, url } = spot.value;
    if (type === 'stdio' && !command) refuse(spot, 'command', "stdio servers require 'command'");
    if (type !== 'stdio' && !url) refuse(spot, 'url', `${type} servers require 'url'`);
  },
  OutputField: checkOutputField,
  Plugin: (spot) => {
    const { name } = spot.value;
    if (!isPathLike(name) && /[*?[\]]/.test(name))
      refuse(spot, 'name', `The plugin '${name}' contains a glob character`);
  },
  ProviderSettings: providerRule,
  Question: (spot) => {
    const { choices = [], allow_free_text, id, text } = spot.value;
    if (choices.length > 0 || allow_free_text) return;
    refuse(spot, 'text', `The question '${id ?? text}' is unanswerable: it has no choices and allows no free text`);
  },
  Runtime: (spot) => {
    for (const name of spot.value.plugin_sources.keys()) {
      if (!/^[A-Za-z0-9_.-]+$/.test(name))
        refuse(spot, 'plugin_sources', `The plugin source name '${name}' is not allowed`);
    }
    checkPlugins(spot, spot.value.plugins);
    checkSkills(spot, spot.value.skills);
  },
  SkillDiscovery: (spot) => {
    const { sources } = spot.value;
    if (new Set(sources).size < sources.length) refuse(spot, 'sources', 'A source is listed twice');
  },
  SkillInjection: (spot) => {
    const { warn_bytes: warn, max_bytes: max } = spot.value;
    if (warn !== undefined && max !== undefined && warn > max) {
      refuse(spot, 'warn_bytes', 'warn_bytes must not be greater than max_bytes');
    }
  },
};

/** The rules of records beyond the types of their fields. */
export const recordRules: Readonly<Partial<Record<RecordName, (spot: RuleSpot) => void>>> = rules as Readonly<
  Partial<Record<RecordName, (spot: RuleSpot) => void>>
>;

function checkOutputField(spot: RuleSpot<OutputField>): void {
  const field = spot.value;
  for (const key of ['pattern', 'minLength', 'maxLength'] as const) {
    if (field.type !== 'string' && field[key] !== undefined)
      refuse(spot, key, `${key} can only be set when type is 'string'`);
  }
  for (const key of ['minimum', 'maximum'] as const) {
    if (field.type !== 'number' && field[key] !== undefined)
      refuse(spot, key, `${key} can only be set when type is 'number'`);
  }
  if (isAbove(field.minLength, field.maxLength))
    refuse(spot, 'minLength', 'minLength cannot be greater than maxLength');
  if (isAbove(field.minimum, field.maximum)) refuse(spot, 'minimum', 'minimum cannot be greater than maximum');
  if (field.pattern !== undefined) checkPattern(spot, field.pattern);
  checkEnum(spot);
}

function checkPattern(spot: RuleSpot<OutputField>, source: string): void {
  const pattern = compilePattern(source);
  if (!pattern.ok) refuse(spot, 'pattern', `pattern cannot be used: ${source}: ${pattern.reason}`);
}

function checkEnum(spot: RuleSpot<OutputField>): void {
  const { type, enum: values } = spot.value;
  if (values === undefined) return;
  if (type === 'array' || type === 'object') refuse(spot, 'enum', 'enum can only be set for scalar types');
  else if (values.length === 0) refuse(spot, 'enum', 'enum must contain at least one value');
  else if (!values.every((value) => typeof value === type)) {
    refuse(spot, 'enum', `enum values must match the declared type '${type}'`);
  }
}

function isAbove(lower: number | undefined, upper: number | undefined): boolean {
  return lower !== undefined && upper !== undefined && lower > upper;
}

function isOfType(node: YamlNode, type: InputDefinition['type']): boolean {
  const kinds = {
    string: ['string'],
    number: ['integer', 'float'],
    boolean: ['boolean'],
    array: ['list'],
    object: ['map'],
  } as const;
  return (kinds[type] as readonly string[]).includes(node.kind);
}
