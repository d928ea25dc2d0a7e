import { Dict } from '../../../template/dict.js';
import { writeJsonText } from '../../../template/json-text.js';
import type { Value } from '../../../template/value.js';
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
  for (const [name, text] of ofRoute) output.setText(name, readOutput(name, text));
  return writeJsonText(output);
}

/** Renders the templates of an output against everything there is, and reads the texts as values. */
export function renderOutput(runtime: Runtime, state: WorkflowState, templates: ReadonlyMap<string, string>): Dict {
  const rendering = { runtime, scope: fullScope(runtime, state), turn: state.outputs.length, at: state.at };
  const output = new Dict();
  for (const [name, template] of templates) output.setText(name, readOutput(name, render(rendering, template)));
  return output;
}

function readOutput(name: string, text: string): Value {
  const value = coerceOutput(text);
  requireFinite(value, `output.${name}`);
  return value;
}

/** JSON has no word for numbers that are none, and whoever reads the output expects JSON. */
function requireFinite(value: Value, path: string): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw notJson(value, path);
  if (Array.isArray(value)) for (const [index, each] of value.entries()) requireFinite(each, `${path}[${index}]`);
  if (value instanceof Dict) for (const [key, each] of value.entries()) requireFinite(each, `${path}.${String(key)}`);
}

function notJson(value: number, path: string): StepProblem {
  const word = Number.isNaN(value) ? 'no number (NaN)' : `infinite (${value})`;
  return new StepProblem('ValueError', `${path} is ${word}, which JSON has no word for`, { code: 'NOT_JSON' });
}
