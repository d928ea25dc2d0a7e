import { Dict } from '../../../template/dict.js';
import { writeJsonText } from '../../../template/json-text.js';
import { Float, type Value } from '../../../template/value.js';
import type { Violation } from '../../../termination/kinds/validation.js';
import type { WorkflowState } from '../../machine/state.js';
import { StepProblem } from '../../machine/step-problem.js';
import type { Runtime } from '../runtime.js';
import { render } from '../scope/render.js';
import { fullScope } from '../scope/scopes.js';
import { coerceOutput } from './coerce.js';

/** JSON text of the final output: that of the workflow, with the values of the last route over it. */
export function finalOutput(
  runtime: Runtime,
  state: WorkflowState,
  ofRoute: ReadonlyMap<string, string> = new Map(),
): string {
  const output = renderOutput(runtime, state, runtime.program.document.output);
  for (const [name, text] of ofRoute) output.setText(name, coerceOutput(text));
  const [problem] = problemsIn(output);
  if (problem !== undefined)
    throw new StepProblem('ValueError', `${problem.path} ${problem.message}`, { code: 'NOT_JSON' });
  return writeJsonText(output);
}

/** JSON text of the final output of an explicit end, without the values that JSON has no word for, and why they are missing. */
export function explicitOutput(
  runtime: Runtime,
  state: WorkflowState,
  templates: ReadonlyMap<string, string>,
): { readonly output: string; readonly dropped: readonly Violation[] } {
  const all = renderOutput(runtime, state, templates);
  return { output: writeJsonText(withoutUnwritable(all)), dropped: named(problemsIn(all)) };
}

const mostNamed = 20;

/** A list of numbers may have thousands that are none: an ending is no place for all of them. */
function named(problems: readonly Violation[]): readonly Violation[] {
  if (problems.length <= mostNamed) return problems;
  const message = `has ${problems.length - mostNamed} more values that JSON has no word for`;
  return [...problems.slice(0, mostNamed), { path: 'output', message }];
}

/** The same value without the numbers that are none: null in their place would be a value that nobody gave. */
function withoutUnwritable(value: Value): Value {
  if (Array.isArray(value)) return value.filter((each: Value) => !isUnwritable(each)).map(withoutUnwritable);
  if (!(value instanceof Dict)) return value;
  const kept = new Dict();
  for (const [name, part] of value.entries())
    if (!isUnwritable(part as Value)) kept.setText(String(name), withoutUnwritable(part as Value));
  return kept;
}

/** Renders the templates of an output against everything there is, and reads the texts as values. */
function renderOutput(runtime: Runtime, state: WorkflowState, templates: ReadonlyMap<string, string>): Dict {
  const rendering = { runtime, scope: fullScope(runtime, state), turn: state.outputs.length, at: state.at };
  const output = new Dict();
  for (const [name, template] of templates) output.setText(name, coerceOutput(render(rendering, template)));
  return output;
}

function problemsIn(output: Dict): readonly Violation[] {
  return [...output.entries()].flatMap(([name, value]) => notFinite(value as Value, `output.${String(name)}`));
}

/** JSON has no word for numbers that are none, and whoever reads the output expects JSON. */
function notFinite(value: Value, path: string): readonly Violation[] {
  if (!isUnwritable(value)) return partsOf(value).flatMap(([name, part]) => notFinite(part, `${path}${name}`));
  const number = numberOf(value);
  const word = Number.isNaN(number) ? 'no number (NaN)' : `infinite (${number})`;
  return [{ path, message: `is ${word}, which JSON has no word for` }];
}

function isUnwritable(value: Value): boolean {
  const number = numberOf(value);
  return typeof number === 'number' && !Number.isFinite(number);
}

function numberOf(value: Value): Value {
  return value instanceof Float ? value.value : value;
}

function partsOf(value: Value): readonly (readonly [name: string, part: Value])[] {
  if (Array.isArray(value)) return value.map((each: Value, index) => [`[${index}]`, each]);
  return value instanceof Dict ? [...value.entries()].map(([key, each]) => [`.${String(key)}`, each as Value]) : [];
}
