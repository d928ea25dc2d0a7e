import { suggestion } from '../../termination/text/suggestion.js';
import type { DocumentPath, Report } from '../source/problem.js';
import { type MapNode, nameOfKind, type YamlNode } from '../source/yaml-node.js';
import type { ChoiceField, NumberField, TextField } from './field.js';
import type { ShapeRow, StepTable } from './steps/step-table.js';
import { hasTemplateMarks } from './template-marks.js';

/** Stands for a value that was reported as wrong. */
export const invalid: unique symbol = Symbol('invalid');
export type Invalid = typeof invalid;

/** Where problems go, and which types of step there are. */
export interface SchemaSpot {
  readonly report: Report;
  readonly steps: StepTable<ShapeRow>;
}

/** A value to read, its place and where its problems go. */
export interface Spot extends SchemaSpot {
  readonly node: YamlNode;
  readonly path: DocumentPath;
}

export interface MapSpot extends Spot {
  readonly node: MapNode;
}

export function wrongType(spot: Pick<Spot, 'node' | 'path' | 'report'>, expected: string): Invalid {
  const { node, path, report } = spot;
  const text = 'text' in node ? { text: node.text } : {};
  const hint = expected === 'a text' && node.kind !== 'list' && node.kind !== 'map' ? { hint: 'Put it in quotes' } : {};
  const message = `Expected ${expected}, but this is ${nameOfKind(node)}`;
  report.error({ code: 'WRONG_TYPE', message, at: node.at, path, ...text, ...hint });
  return invalid;
}

export function readText(field: TextField, spot: Spot): string | Invalid {
  const { node, path, report } = spot;
  if (node.kind !== 'string') return wrongType(spot, 'a text');
  if (field.not_blank && node.text.trim() === '') {
    report.error({ code: 'BLANK', message: 'This must not be blank', at: node.at, path });
    return invalid;
  }
  return node.text;
}

const truths: ReadonlySet<string> = new Set(['true', 't', 'yes', 'y', 'on', '1', '1.0']);
const falsehoods: ReadonlySet<string> = new Set(['false', 'f', 'no', 'n', 'off', '0', '0.0']);

export function readBoolean(spot: Pick<Spot, 'node' | 'path' | 'report'>): boolean | Invalid {
  const { node } = spot;
  if (node.kind !== 'list' && node.kind !== 'map' && node.kind !== 'null' && node.kind !== 'date') {
    const word = node.text.toLowerCase();
    if (truths.has(word)) return true;
    if (falsehoods.has(word)) return false;
  }
  return wrongType(spot, 'true or false');
}

const decimalNumber = /^\s*[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/;

/** A number, or a text that is one. */
export function readNumber(field: NumberField, spot: Spot): number | Invalid {
  const { node } = spot;
  const isInteger = field.type === 'integer';
  const expected = isInteger ? 'an integer' : 'a number';
  const isNumber = node.kind === 'integer' || node.kind === 'float';
  if (!isNumber && (node.kind !== 'string' || node.text.length > 400 || !decimalNumber.test(node.text))) {
    return wrongType(spot, expected);
  }
  const value = Number(node.text.replaceAll('_', ''));
  if (isInteger && !Number.isInteger(value)) return wrongType(spot, expected);
  return checkRange(field, value, spot);
}

function checkRange(field: NumberField, value: number, spot: Spot): number | Invalid {
  const { minimum, maximum, above } = field;
  const bounds = [
    minimum !== undefined && !(value >= minimum) ? `at least ${minimum}` : undefined,
    maximum !== undefined && !(value <= maximum) ? `at most ${maximum}` : undefined,
    above !== undefined && !(value > above) ? `greater than ${above}` : undefined,
  ].filter((bound) => bound !== undefined);
  if (bounds.length === 0 && Number.isFinite(value)) return value;
  const message = `This must be ${bounds.length === 0 ? 'a finite number' : bounds.join(' and ')}`;
  const { node, path, report } = spot;
  report.error({ code: 'OUT_OF_RANGE', message, at: node.at, path, ...('text' in node ? { text: node.text } : {}) });
  return invalid;
}

export function readChoice(field: ChoiceField, spot: Spot): string | Invalid {
  const { node, path, report } = spot;
  const list = field.choices.map((choice) => JSON.stringify(choice)).join(', ');
  if (node.kind !== 'string') return wrongType(spot, `one of ${list}`);
  if (field.choices.includes(node.text)) return node.text;
  if (field.or_template && hasTemplateMarks(node.text)) return node.text;
  const message = `Expected one of ${list}${field.or_template ? ' or a template' : ''}`;
  const close = suggestion(node.text, field.choices);
  report.error({ code: 'NOT_A_CHOICE', message: `${message}${close}`, at: node.at, path, text: node.text });
  return invalid;
}
