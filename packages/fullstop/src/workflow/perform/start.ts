import { Dict } from '../../template/dict.js';
import { readJsonText, writeJsonText } from '../../template/json-text.js';
import type { Value } from '../../template/value.js';
import type { HookOutcome, StartOutcome, WorkflowState } from '../machine/state.js';
import { attempt, StepProblem } from '../machine/step-problem.js';
import type { InputDefinition } from '../schema/record-types.js';
import { renderHook } from './hook.js';
import type { Runtime } from './runtime.js';
import { hasType } from './values/has-type.js';

const zeros: Readonly<Record<InputDefinition['type'], () => Value>> = {
  string: () => '',
  number: () => 0,
  boolean: () => false,
  array: () => [],
  object: () => new Dict(),
};

/** Fills in the inputs, checks them and notifies the first hook. */
export async function startWorkflow(runtime: Runtime, state: WorkflowState): Promise<StartOutcome> {
  const inputs = attempt(() => inputsOf(runtime));
  if ('problem' in inputs) return { problem: inputs.problem };
  const hook = await startHook(runtime, { ...state, inputs: inputs.value });
  return { inputs: inputs.value, ...(hook !== undefined && { hook }) };
}

async function startHook(runtime: Runtime, state: WorkflowState): Promise<HookOutcome | undefined> {
  const template = runtime.program.document.workflow.hooks?.on_start;
  return template === undefined ? undefined : renderHook(runtime, state, { name: 'on_start', template });
}

/** JSON text of the inputs with defaults; an optional input without one gets the zero of its type. */
function inputsOf({ program, given }: Runtime): string {
  const value = readJsonText(given);
  if (!(value instanceof Dict)) throw new StepProblem('ValidationError', 'The inputs must be a JSON object');
  const inputs = value.copy();
  const definitions = program.document.workflow.input;
  for (const [name, definition] of definitions) {
    if (inputs.getText(name) !== undefined) continue;
    if (definition.default !== undefined && definition.default !== 'null') {
      inputs.setText(name, readJsonText(definition.default));
    } else if (!definition.required) inputs.setText(name, zeros[definition.type]());
  }
  return writeJsonText(inputs);
}

/** The problems with the inputs of a run: required ones that are missing, and types that do not fit. */
export function inputProblems(definitions: ReadonlyMap<string, InputDefinition>, given: string): readonly string[] {
  const value = readJsonText(given);
  if (!(value instanceof Dict)) return ['the inputs must be a JSON object'];
  const problems: string[] = [];
  for (const [name, { type, required, default: usual }] of definitions) {
    const input = value.getText(name);
    const isAbsent = input === undefined || (input === null && !required);
    if (input === undefined && required && (usual === undefined || usual === 'null')) {
      problems.push(`the input ${JSON.stringify(name)} (${type}) is missing`);
    } else if (!isAbsent && !hasType(input as Value, type)) {
      problems.push(`the input ${JSON.stringify(name)} must be of type ${type}`);
    }
  }
  return problems;
}
