import type { Field, Fields } from '../schema/field.js';
import { recordTables } from '../schema/record-tables.js';
import type { StepKeys } from '../schema/steps/step-shape.js';
import { root } from '../schema/workflow-records.js';
import { builtInStepTypes } from './built-in-step-types.js';

/** The tables of keys in the documentation, by the name in their marks: `<!-- keys: Route -->`. */
export function keyTables(): ReadonlyMap<string, string> {
  const records = Object.entries(recordTables).map(([name, { fields }]) => [name, keyTable(fields)] as const);
  const steps = builtInStepTypes.rows.map(({ shape }) => [shape.type, stepTable(shape.keys)] as const);
  return new Map([['Root', keyTable(root)], ...records, ...steps, ['steps', stepMatrix()]]);
}

function keyTable(fields: Fields, required: readonly string[] = []): string {
  const rows = Object.entries(fields).map(([key, field]) => {
    const isRequired = field.required === true || required.includes(key);
    return `| \`${key}\` | ${typeWords(field)} | ${isRequired ? 'required' : defaultWords(field)} | ${cell(field.description ?? '')} |`;
  });
  return ['| key | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function stepTable({ required, optional }: StepKeys): string {
  const own: readonly string[] = [...required, ...optional].filter((key) => !shared.includes(key));
  const fields = Object.fromEntries(
    own.flatMap((key) => Object.entries(builtInStepTypes.fields).filter(([name]) => name === key)),
  );
  return keyTable(fields, required);
}

/** Keys that are explained once for all steps. */
const shared: readonly string[] = ['name', 'description', 'input', 'routes', 'on_error'];

function stepMatrix(): string {
  const { fields, names, rows } = builtInStepTypes;
  const marks = Object.keys(fields).map(
    (key) => `| \`${key}\` | ${rows.map(({ shape }) => markOf(shape.keys, key)).join(' | ')} |`,
  );
  return [`| key | ${names.join(' | ')} |`, `|---|${names.map(() => '---|').join('')}`, ...marks].join('\n');
}

function markOf({ required, optional, ignored }: StepKeys, key: string): string {
  const has = (list: readonly string[]): boolean => list.includes(key);
  if (has(required)) return 'R';
  if (has(optional)) return '✓';
  return has(ignored) ? '·' : '–';
}

function typeWords(field: Field): string {
  switch (field.type) {
    case 'string':
      return 'text';
    case 'list':
      return field.or_single ? `${typeWords(field.of)}, or a list of them` : `list of ${typeWords(field.of)}`;
    case 'map':
      return `mapping of name to ${typeWords(field.of)}`;
    case 'record':
      return field.text_as === undefined ? field.of : `text or ${field.of}`;
    case 'choice':
      return field.choices.map((choice) => `\`${choice}\``).join(', ') + (field.or_template ? ', or a template' : '');
    case 'integer':
    case 'number':
      return rangeWords(field);
    case 'json':
      return 'any value';
    case 'scalar':
      return 'text, number or boolean';
    default:
      return field.type;
  }
}

function rangeWords({
  type,
  minimum,
  maximum,
  above,
}: Extract<Field, { readonly type: 'integer' | 'number' }>): string {
  if (above !== undefined) return `${type} above ${above}`;
  if (minimum !== undefined && maximum !== undefined) return `${type} from ${minimum} to ${maximum}`;
  return minimum === undefined ? type : `${type} from ${minimum}`;
}

function defaultWords(field: Field): string {
  if (field.default === undefined) return '';
  if (field.type === 'record') return 'its defaults';
  const text = JSON.stringify(field.default);
  return `\`${text.replaceAll('"', field.type === 'list' ? "'" : '')}\``.replace('``', '`""`');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
