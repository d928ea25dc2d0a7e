import type { WorkflowState } from '../machine/state.js';
import { Dict } from '../template/dict.js';
import { writeJsonText } from '../template/json-text.js';
import { coerceOutput } from './coerce.js';
import { render } from './render.js';
import type { Runtime } from './runtime.js';
import { fullScope } from './scopes.js';

/** JSON text of the final output: that of the workflow, with the values of the last route over it. */
export function finalOutput(
  runtime: Runtime,
  state: WorkflowState,
  ofRoute: ReadonlyMap<string, string> = new Map(),
): string {
  const output = renderOutput(runtime, state, runtime.program.document.output);
  for (const [name, text] of ofRoute) output.setText(name, coerceOutput(text));
  return writeJsonText(output);
}

/** Renders the templates of an output against everything there is, and reads what they give. */
export function renderOutput(runtime: Runtime, state: WorkflowState, templates: ReadonlyMap<string, string>): Dict {
  const rendering = { runtime, scope: fullScope(runtime, state), turn: state.outputs.length };
  const output = new Dict();
  for (const [name, template] of templates) output.setText(name, coerceOutput(render(rendering, template)));
  return output;
}
