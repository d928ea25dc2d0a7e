import { strip } from '../../template/text/whitespace.js';
import { terminateOutput } from '../machine/explicit-end.js';
import { StoredOutput, withLatest } from '../machine/outputs.js';
import type { TerminateOutcome } from '../machine/state.js';
import { attempt, StepProblem } from '../machine/step-problem.js';
import type { TerminateStep } from '../schema/steps/terminate.js';
import type { StepView } from './runtime.js';
import { render } from './scope/render.js';
import { renderingOf } from './scope/scopes.js';
import { explicitOutput } from './values/final-output.js';

/** The outcome of an explicit end: its reason, seen from the step, then its output, seen from everywhere. */
export function terminateWorkflow(step: TerminateStep, { runtime, state }: StepView): TerminateOutcome {
  const head = attempt(() => {
    const rendering = renderingOf(step, { runtime, state });
    return { reason: render(rendering, step.reason), status: statusOf(step, render(rendering, step.status)) };
  });
  if ('problem' in head) return { problem: head.problem, stage: 'reason' };
  const { reason, status } = head.value;
  const latest = new StoredOutput(step.name, terminateOutput(step.name, status, reason));
  const after = { ...state, outputs: withLatest(state.outputs, latest) };
  const templates = step.output_template ?? runtime.program.document.output;
  const made = attempt(() => explicitOutput(runtime, after, templates));
  if ('problem' in made) return { status, reason, problem: made.problem, stage: 'output' };
  const { output, dropped } = made.value;
  return { status, reason, output, ...(dropped.length > 0 && { dropped }) };
}

function statusOf({ name }: TerminateStep, text: string): 'success' | 'failed' {
  const status = strip(text);
  if (status === 'success' || status === 'failed') return status;
  throw new StepProblem('ValidationError', `The status of ${name} is '${text}'; it must be success or failed`);
}
