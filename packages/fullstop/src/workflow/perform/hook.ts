import { readJsonText, valueFromJson } from '../../template/json-text.js';
import type { Value } from '../../template/value.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { JsonObject } from '../../termination/json.js';
import { reportError } from '../machine/report-error.js';
import type { HookOutcome, WorkflowState } from '../machine/state.js';
import { attempt } from '../machine/step-problem.js';
import type { RenderedHook } from './environment.js';
import type { Runtime } from './runtime.js';
import { render } from './scope/render.js';
import { fullScope } from './scope/scopes.js';

interface Hook {
  readonly name: RenderedHook['name'];
  readonly template: string;
}

/** Renders a hook and notifies whoever listens. A hook that fails changes nothing about the run. */
export async function renderHook(runtime: Runtime, state: WorkflowState, hook: Hook): Promise<HookOutcome> {
  const scope = fullScope(runtime, state, hookNames(state));
  const rendered = attempt(() => render({ runtime, scope, turn: state.outputs.length, at: state.at }, hook.template));
  if ('problem' in rendered) return { name: hook.name, problem: rendered.problem };
  const text = rendered.value;
  try {
    await runtime.environment.onHook?.({ name: hook.name, text, workflow: runtime.program.document.workflow.name });
    return { name: hook.name, text };
  } catch (error) {
    return { name: hook.name, text, problem: { error: toErrorData(error, { stack: false }), errorClass: 'unknown' } };
  }
}

/** `result` for the hook of a success, `error` for that of a failure. */
function hookNames({ ending, output }: WorkflowState): ReadonlyMap<string, Value> {
  const names = new Map<string, Value>();
  if (output !== null) names.set('result', readJsonText(output));
  if (ending !== null) {
    const { name, message } = ownError(ending);
    names.set('error', valueFromJson({ type: name, message } as JsonObject));
    names.set('ending', valueFromJson(JSON.parse(JSON.stringify(ending)) as JsonObject));
  }
  return names;
}

/** An explicit end is no failed child for the workflow that it ends. */
function ownError(ending: Ending): ErrorData {
  const error = reportError(ending, { asksModel: false });
  if (ending.kind !== 'terminated') return error;
  return { name: 'WorkflowTerminated', message: (ending as Ending & { readonly reason: string }).reason };
}

/** Notifies the hook of the ending that the workflow has reached. */
export async function endHook(runtime: Runtime, state: WorkflowState): Promise<HookOutcome> {
  const name = state.hook ?? 'on_complete';
  const template = runtime.program.document.workflow.hooks?.[name] ?? '';
  return renderHook(runtime, state, { name, template });
}
