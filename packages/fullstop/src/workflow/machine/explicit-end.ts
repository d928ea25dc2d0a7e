import { readJsonText, valueToJson } from '../../template/json-text.js';
import { terminations } from '../../termination/terminations.js';
import { endWith, failureOf, observe } from './fail.js';
import { storeOutput } from './outputs.js';
import type { ObservedStep, Program } from './program.js';
import type { Draft, TerminateOutcome } from './state.js';
import { outcomeOf } from './step-result.js';

/** Ends the workflow explicitly: it counts as a step, and is stored before its output is made. */
export function applyExplicitEnd(draft: Draft, program: Program, { step, observation }: ObservedStep): void {
  const { status, reason, output, dropped, problem, stage } = outcomeOf<TerminateOutcome>(observation);
  if (reason !== undefined && status !== undefined) {
    draft.outputs = storeOutput(draft.outputs, step.name, terminateOutput(step.name, status, reason));
    draft.iterations += 1;
  }
  if (problem !== undefined || status === undefined || reason === undefined) {
    const failure = failureOf(
      problem ?? { error: { name: 'ExecutionError', message: 'no status' }, errorClass: 'internal' },
    );
    const { name: error, message } = failure.error;
    observe(draft, { type: 'terminate_failed', step: step.name, stage: stage ?? 'reason', error, message });
    endWith(draft, program, failure.termination);
    return;
  }
  observe(draft, { type: 'terminated', step: step.name, status, reason });
  const text = output ?? '{}';
  const value = valueToJson(readJsonText(text));
  const explicit = { status, reason, by: step.name, output: value, ...(dropped !== undefined && { dropped }) };
  endWith(draft, program, terminations.terminated(explicit), text);
}

/** The output of a terminate step as templates see it. */
export function terminateOutput(name: string, status: string, reason: string): string {
  return JSON.stringify({ status, reason, terminated_by: name });
}
