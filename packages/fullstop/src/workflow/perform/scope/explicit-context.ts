import { Dict } from '../../../template/dict.js';
import type { Value } from '../../../template/value.js';
import { outputOf } from '../../machine/outputs.js';
import type { WorkflowState } from '../../machine/state.js';
import { StepProblem } from '../../machine/step-problem.js';
import { type Runtime, withInputs } from '../runtime.js';
import { contextValue } from './context-value.js';

/** A step whose texts are rendered. */
export interface RenderedStep {
  readonly type: string;
  /** The references that it may use in explicit context mode. */
  readonly input?: readonly string[];
}

/** The names that a step sees in explicit mode: what its `input` names, and every input if its type says so. */
export function explicitContext(
  runtime: Runtime,
  state: WorkflowState,
  step: RenderedStep,
): ReadonlyMap<string, Value> {
  const workflow = runtime.workflowValue(state.inputs);
  const all = workflow.getText('input') as Dict;
  const { sees } = runtime.program.steps.of(step).shape;
  const inputs = sees === 'inputs' ? all : new Dict();
  const names = new Map<string, Value>([['context', contextValue(state)]]);
  for (const reference of step.input ?? []) {
    const { path, optional } = readReference(reference);
    if (path[0] === 'workflow' && path[1] === 'input') takeInput({ inputs, all, path, optional });
    else takeOutput(state, names, { path, optional });
  }
  names.set('workflow', withInputs(workflow, inputs));
  return names;
}

interface Reference {
  readonly path: readonly string[];
  readonly optional: boolean;
}

function readReference(text: string): Reference {
  const optional = text.endsWith('?');
  return { path: text.replace(/\?+$/, '').split('.'), optional };
}

interface InputReference extends Reference {
  readonly inputs: Dict;
  readonly all: Dict;
}

function takeInput({ inputs, all, path, optional }: InputReference): void {
  const name = path[2];
  if (name === undefined) return;
  const value = all.getText(name);
  if (value !== undefined) inputs.setText(name, value);
  else if (optional) inputs.setText(name, null);
  else throw new StepProblem('KeyError', `'Missing required workflow input: ${name}'`);
}

/** Copies what a reference names, and nothing beside it; of a step whose part is missing an empty output is left. */
function takeOutput(state: WorkflowState, names: Map<string, Value>, { path, optional }: Reference): void {
  const [name = '', ...rest] = path;
  const known = outputOf(state.outputs, name);
  if (known === undefined) {
    if (optional) return;
    throw new StepProblem('KeyError', `'Missing required agent output: ${name}'`);
  }
  const exposed = known.exposed as Dict;
  const output = exposed.getText('output');
  const target = names.get(name) instanceof Dict ? (names.get(name) as Dict) : new Dict();
  names.set(name, target);
  if (output !== undefined && target.getText('output') === undefined) {
    target.setText('output', output instanceof Dict ? new Dict() : null);
  }
  // `step.field` is short for `step.output.field`.
  const steps = output === undefined || rest[0] === 'output' ? rest : ['output', ...rest];
  const value = follow(exposed, steps);
  if (value !== undefined) put(target, steps, value);
  else if (!optional) throw new StepProblem('KeyError', `"Missing output field '${rest.join('.')}' from '${name}'"`);
}

function follow(from: Value, path: readonly string[]): Value | undefined {
  let current: Value | undefined = from;
  for (const part of path) {
    if (!(current instanceof Dict)) return undefined;
    current = current.getText(part);
  }
  return current;
}

function put(target: Dict, path: readonly string[], value: Value): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    target.setText(first, value);
    return;
  }
  const inner = target.getText(first);
  const next = inner instanceof Dict ? inner.copy() : new Dict();
  target.setText(first, next);
  put(next, rest, value);
}
