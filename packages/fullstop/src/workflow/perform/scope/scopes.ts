import { readJsonText } from '../../../template/json-text.js';
import type { Scope } from '../../../template/scope.js';
import type { Value } from '../../../template/value.js';
import { lastName, outputOf } from '../../machine/outputs.js';
import type { MemberPlace } from '../../machine/plan.js';
import type { WorkflowState } from '../../machine/state.js';
import type { Runtime, StepView } from '../runtime.js';
import { contextValue } from './context-value.js';
import { errorNames } from './error-names.js';
import { explicitContext, type RenderedStep } from './explicit-context.js';
import type { Rendering } from './rendering.js';

type Names = ReadonlyMap<string, Value>;

const nothing: Names = new Map();

/** The scope of routes, final outputs and hooks: everything, and what `extra` adds. */
export function fullScope(runtime: Runtime, state: WorkflowState, extra: Names = nothing): Scope {
  return {
    lookup(name) {
      const own = extra.get(name);
      if (own !== undefined) return own;
      // A step that is called as one of the two takes its place once it has an output.
      return outputOf(state.outputs, name)?.exposed ?? ownValue(runtime, state, name);
    },
    declares: (name) => runtime.program.nodes.has(name),
  };
}

function ownValue(runtime: Runtime, state: WorkflowState, name: string): Value | undefined {
  if (name === 'workflow') return runtime.workflowValue(state.inputs);
  return name === 'context' ? contextValue(state) : caughtValue(runtime, state, name);
}

/** `error` and `ending` after an error route, unless the file has steps of these names. */
function caughtValue({ program }: Runtime, { caught }: WorkflowState, name: string): Value | undefined {
  if (caught === null || !caughtNames.has(name) || program.nodes.has(name)) return undefined;
  return errorNames(caught).get(name);
}

const caughtNames: ReadonlySet<string> = new Set(['ending', 'error']);

/** How the texts of a step are rendered: with what its type sees in the context mode of the file. */
export function renderingOf(step: RenderedStep, given: StepView): Rendering {
  const { runtime, state } = given;
  return { runtime, scope: stepScope(step, given), turn: state.outputs.length, at: state.at };
}

function stepScope(step: RenderedStep, { runtime, state, member }: StepView): Scope {
  const { mode } = runtime.program.document.workflow.context;
  const extra = member === undefined ? nothing : memberNames(member);
  if (mode === 'accumulate' || runtime.program.steps.of(step).shape.sees === 'everything')
    return fullScope(runtime, state, extra);
  if (mode === 'explicit') {
    const names = explicitContext(runtime, state, step);
    return {
      ...fullScope(runtime, state),
      lookup: (name) => extra.get(name) ?? names.get(name) ?? caughtValue(runtime, state, name),
    };
  }
  const last = lastName(state.outputs);
  const full = fullScope(runtime, state, extra);
  const visible = new Set([...(last === undefined ? [] : [last]), ...extra.keys()]);
  return { ...full, lookup: (name) => (visible.has(name) ? full.lookup(name) : ownValue(runtime, state, name)) };
}

/** The loop variables of an item. */
function memberNames({ item, index }: MemberPlace): Names {
  if (item === undefined) return nothing;
  const names = new Map<string, Value>([
    [item.name, readJsonText(item.text)],
    ['_index', index],
  ]);
  if (item.keyed) names.set('_key', item.key);
  return names;
}
