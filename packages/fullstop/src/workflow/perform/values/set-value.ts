import { readJsonText, writeJsonText } from '../../../template/json-text.js';
import { strip } from '../../../template/text/whitespace.js';
import { StepProblem } from '../../machine/step-problem.js';
import type { SetStep } from '../../schema/steps/set.js';
import { readYamlText } from '../../source/read-yaml-text.js';
import type { StepView } from '../runtime.js';
import { render } from '../scope/render.js';
import type { Rendering } from '../scope/rendering.js';
import { renderingOf } from '../scope/scopes.js';
import { checkOutput } from './check-output.js';
import { parseFloatText, parseIntText } from './coerce.js';

/** JSON text of the value of a set step. */
export function setValue(step: SetStep, given: StepView): string {
  const text = valueText(step, renderingOf(step, given));
  if (step.output !== undefined) checkMapping(step, text);
  return text;
}

function valueText(step: SetStep, rendering: Rendering): string {
  if (step.values === undefined) return readAs(step, render(rendering, step.value ?? ''), step.output_type ?? 'auto');
  const entries = [...step.values].map(([name, template]) => {
    return `${JSON.stringify(name)}: ${readAuto(step, render(rendering, template))}`;
  });
  return `{${entries.join(', ')}}`;
}

function checkMapping(step: SetStep, text: string): void {
  if (!text.startsWith('{')) {
    throw new StepProblem(
      'ValidationError',
      `Set step '${step.name}' declares an output schema, so its value must be a mapping`,
    );
  }
  const problems = checkOutput(readJsonText(text), step.output ?? new Map());
  if (problems[0] !== undefined) throw new StepProblem('ValidationError', problems[0].message);
}

const yes: ReadonlySet<string> = new Set(['true', '1', 'yes', 'y', 'on']);
const no: ReadonlySet<string> = new Set(['false', '0', 'no', 'n', 'off']);

type OutputType = NonNullable<SetStep['output_type']>;

/** JSON text of a rendered text, read as the declared type. */
function readAs(step: SetStep, text: string, type: OutputType): string {
  const refuse = (): never => {
    throw new StepProblem('ExecutionError', `Set step '${step.name}': cannot coerce '${text}' to ${type}`);
  };
  switch (type) {
    case 'auto':
      return readAuto(step, text);
    case 'string':
      return writeJsonText(text);
    case 'boolean': {
      const word = strip(text).toLowerCase();
      if (yes.has(word)) return 'true';
      return no.has(word) ? 'false' : refuse();
    }
    case 'integer':
      return numberText(parseIntText(text)) ?? refuse();
    case 'number':
      return numberText(parseIntText(text) ?? parseFloatText(text)) ?? refuse();
    case 'list':
    case 'dict':
      return readStructure(step, text, type);
    default:
      return refuse();
  }
}

function numberText(value: ReturnType<typeof parseIntText>): string | undefined {
  return value === undefined ? undefined : writeJsonText(value);
}

const plainInteger = /^(?:0|-?[1-9]\d{0,14})$/;
const nullWords: ReadonlySet<string> = new Set(['null', '~', 'Null', 'NULL']);

/** Reads a text as YAML; what is not YAML, and a comment that is nothing, stays text. */
function readAuto(step: SetStep, text: string): string {
  // Numbers are what set steps mostly count with, and need no parser.
  if (plainInteger.test(text)) return text;
  const trimmed = strip(text);
  if (trimmed === '') return '""';
  const read = readYamlText(text, { asValue: true });
  if (!read.ok) {
    if (read.reason === 'key') throw notJson(step, read.message);
    if (read.reason === 'date')
      throw new StepProblem('ValueError', `Set step '${step.name}': ${read.message}: ${text}`);
    return writeJsonText(text);
  }
  if (read.kind === 'null' && !nullWords.has(trimmed)) return writeJsonText(text);
  return read.json;
}

function readStructure(step: SetStep, text: string, type: 'list' | 'dict'): string {
  const read = readYamlText(text, { asValue: true });
  if (!read.ok) {
    throw new StepProblem(
      'ExecutionError',
      `Set step '${step.name}': cannot coerce '${text}' to ${type}: ${read.message}`,
    );
  }
  const wanted = type === 'list' ? 'list' : 'map';
  if (read.kind === wanted) return read.json;
  throw new StepProblem(
    'ExecutionError',
    `Set step '${step.name}': expected output_type: ${type} but got ${pythonTypes[read.kind] ?? read.kind}`,
  );
}

const pythonTypes: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  float: 'float',
  boolean: 'bool',
  null: 'NoneType',
  list: 'list',
  map: 'dict',
  date: 'date',
};

function notJson(step: SetStep, message: string): StepProblem {
  return new StepProblem('ExecutionError', `Set step '${step.name}': the value is not JSON-safe: ${message}`);
}
