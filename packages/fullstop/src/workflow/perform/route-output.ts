import type { Unit } from '../graph/unit.js';
import { StoredOutput, withLatest } from '../machine/outputs.js';
import type { SetOutcome, WorkflowState } from '../machine/state.js';
import { chooseRoute } from './routes.js';
import type { Runtime, StepView } from './runtime.js';

/** The outcome of a step that is made of templates alone: its output and, in the same record, the verdict of its routes. */
export function routeOutput({ runtime, state }: StepView, output: string): SetOutcome {
  const latest = new StoredOutput(state.at, output);
  const after = { ...state, outputs: withLatest(state.outputs, latest) };
  return { output, verdict: chooseRoute(runtime, after, unitAtHand(runtime, state), latest.value) };
}

/** The step or group at hand. */
export function unitAtHand({ program }: Runtime, { at }: WorkflowState): Unit {
  const unit = program.nodes.get(at);
  if (unit === undefined) throw new Error(`The workflow has no step ${at}.`);
  return unit;
}
