import { compileCondition } from '../../template/condition.js';
import { Dict } from '../../template/dict.js';
import { writeJsonText } from '../../template/json-text.js';
import { TemplateError } from '../../template/template-error.js';
import type { Value } from '../../template/value.js';
import { category } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import { rootCause } from '../../termination/root-cause.js';
import { errorRoutesOf, routesOf, type Unit } from '../graph/unit.js';
import type { Failure, Verdict, WorkflowState } from '../machine/state.js';
import { attempt, StepProblem } from '../machine/step-problem.js';
import type { ErrorRoute, Route } from '../schema/record-types.js';
import type { Runtime } from './runtime.js';
import { errorNames } from './scope/error-names.js';
import { readValues } from './scope/read-values.js';
import { render } from './scope/render.js';
import type { Rendering } from './scope/rendering.js';
import { fullScope } from './scope/scopes.js';
import { withPlace } from './scope/with-place.js';
import { finalOutput } from './values/final-output.js';

/** Where to continue after a step whose output is `output`; the way to the end has the final output with it. */
export function chooseRoute(runtime: Runtime, state: WorkflowState, node: Unit, output: Value): Verdict {
  if (state.choice !== null) return arrive(runtime, state, { to: state.choice });
  const routes = routesOf(node);
  if (routes.length === 0) return arrive(runtime, state, { to: '$end' });
  const scope = fullScope(runtime, state, new Map([['output', output]]));
  const chosen = attempt(() => findRoute(routes, { runtime, scope, turn: state.outputs.length, at: state.at }));
  if ('problem' in chosen) return { problem: chosen.problem, stage: 'route' };
  return chosen.value === undefined ? {} : arrive(runtime, state, chosen.value);
}

type Chosen = Pick<Verdict, 'route' | 'when' | 'values'> & {
  readonly to: string;
  readonly output?: ReadonlyMap<string, string>;
};

function findRoute(routes: readonly Route[], rendering: Rendering): Chosen | undefined {
  for (const [index, route] of routes.entries()) {
    const { to, when } = route;
    const matched = when === undefined ? {} : matches(when, rendering);
    if (matched === undefined) continue;
    const output = route.output === undefined ? undefined : renderAll(route.output, rendering);
    return { to, route: index, ...matched, ...(output !== undefined && { output }) };
  }
  return undefined;
}

/** The values that the condition read when it holds; undefined when it does not. */
function matches(when: string, rendering: Rendering): Pick<Chosen, 'when' | 'values'> | undefined {
  const { runtime, scope, turn } = rendering;
  const condition = evaluate(when, rendering, () => compileCondition(when));
  if (!evaluate(when, rendering, () => condition.evaluate(scope, { seed: runtime.seed + turn }))) return undefined;
  return { when, values: readValues(condition.references, scope) };
}

/** A plain expression that cannot be evaluated is a ValueError, a template stays what it is. */
function evaluate<T>(when: string, rendering: Rendering, perform: () => T): T {
  try {
    return perform();
  } catch (error) {
    throw conditionError(when, withPlace(error, rendering, when));
  }
}

function conditionError(when: string, error: unknown): unknown {
  const isTemplate = when.includes('{{') && when.includes('}}');
  if (!(error instanceof TemplateError) || isTemplate) return error;
  return new StepProblem('ValueError', error.message, { cause: error });
}

function renderAll(templates: ReadonlyMap<string, string>, rendering: Rendering): ReadonlyMap<string, string> {
  return new Map([...templates].map(([name, template]) => [name, render(rendering, template)]));
}

function arrive(runtime: Runtime, state: WorkflowState, { output, ...chosen }: Chosen): Verdict {
  if (chosen.to !== '$end') return chosen;
  const final = attempt(() => finalOutput(runtime, state, output));
  if ('problem' in final) return { ...chosen, problem: final.problem, stage: 'output' };
  return { ...chosen, output: final.value };
}

/** Where to continue after a step that failed. */
export function chooseErrorRoute(runtime: Runtime, state: WorkflowState, node: Unit): Verdict {
  const { failure } = state;
  if (failure === null) return {};
  const scope = fullScope(runtime, state, errorNames({ failure, step: node.name }));
  const rendering = { runtime, scope, turn: state.outputs.length, at: state.at };
  const chosen = attempt(() => findErrorRoute(errorRoutesOf(node), failure, rendering));
  if ('problem' in chosen) return { problem: chosen.problem, stage: 'route' };
  return chosen.value === undefined ? {} : arrive(runtime, state, chosen.value);
}

function findErrorRoute(routes: readonly ErrorRoute[], failure: Failure, rendering: Rendering): Chosen | undefined {
  for (const [index, route] of routes.entries()) {
    if (!isMeant(route, failure)) continue;
    if (route.when !== undefined && matches(route.when, rendering) === undefined) continue;
    const output = route.output === undefined ? undefined : renderAll(route.output, rendering);
    return { to: route.to, route: index, ...(output !== undefined && { output }) };
  }
  return undefined;
}

function isMeant({ kind, category: categories, error }: ErrorRoute, failure: Failure): boolean {
  const { termination } = failure;
  const cause: Ending = rootCause(termination);
  if (kind !== undefined && !kind.includes(termination.kind) && !kind.includes(cause.kind)) return false;
  if (categories !== undefined && !(categories as readonly string[]).includes(category(termination))) return false;
  return error === undefined || errorNamesOf(failure).some((name) => error.includes(name));
}

/** The names and codes by which a failure is known, its causes included. */
function errorNamesOf({ error }: Failure): readonly string[] {
  const names: string[] = [];
  for (let current: Failure['error'] | undefined = error; current !== undefined; current = current.cause) {
    names.push(current.name, ...(current.code === undefined ? [] : [current.code]));
  }
  return names;
}

/** JSON text of a mapping. */
export function mapText(entries: Iterable<readonly [string, Value]>): string {
  const dict = new Dict();
  for (const [name, value] of entries) dict.setText(name, value);
  return writeJsonText(dict);
}
