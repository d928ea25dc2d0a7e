import { makeScope } from '../../run/journal/scope-path.js';
import { added } from '../../run/log.js';
import type { UnitResult } from '../../run/run-context.js';
import { outcome } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonObject } from '../../termination/json.js';
import type { Failed } from '../../termination/kinds/error.js';
import { terminations } from '../../termination/terminations.js';
import { errorRoutesOf } from '../graph/unit.js';
import type { MachineRow, Program } from './program.js';
import { reportError } from './report-error.js';
import type { Draft, Failure, WorkflowState } from './state.js';
import type { Problem } from './step-problem.js';

/** Writes down what `why`, live progress and the events of the reference are made from. */
export function observe(draft: Draft, observation: JsonObject): void {
  draft.observations = added(draft.observations, observation);
}

/** The failure of a step that has no ending of its own. */
export function failureOf({ error, errorClass }: Problem): Failure {
  return { error, termination: makeStepFailure(error, errorClass) };
}

/** The failure of a step that threw. */
export function thrownFailure(error: ErrorData): Failure {
  return { error, termination: makeStepFailure(error, problemClass(error)) };
}

function problemClass({ name, code }: ErrorData): Failed['errorClass'] {
  if (code === 'SCRIPT_TIMEOUT') return 'external';
  return knownProblems.has(name) ? 'configuration' : 'internal';
}

const knownProblems: ReadonlySet<string> = new Set([
  'ExecutionError',
  'KeyError',
  'TemplateError',
  'ValidationError',
  'ValueError',
]);

/** The failure of a unit; undefined when it ended well. */
export function unitFailure(
  { termination }: UnitResult,
  unit: { readonly name: string; readonly path: string },
  { graph, machine }: MachineRow,
): Failure | undefined {
  const verdict = outcome(termination as Ending);
  if (verdict === 'succeeded' || verdict === 'skipped') return undefined;
  // Where the ending of the unit says nothing of its own, its failure is that of any other step.
  if (!graph.hasOwnEnding && termination.kind === 'failed') return { error: termination.error, termination };
  return {
    error: reportError(termination, machine),
    termination: terminations.childFailed({ child: unit, termination }),
    unit: { ...unit, termination },
  };
}

export function makeStepFailure(error: ErrorData, errorClass: Failed['errorClass']): Ending {
  return terminations.failed({ error, origin: 'step', errorClass });
}

/** Asks the error routes of a failed step, or ends the workflow. */
export function fail(draft: Draft, program: Program, failure: Failure): void {
  const node = program.nodes.get(draft.at);
  observe(draft, { type: 'step_failed', step: draft.at, error: plain(failure.error) });
  draft.failure = failure;
  if (node !== undefined && errorRoutesOf(node).length > 0 && !isPause(failure)) draft.phase = 'recovering';
  else endWith(draft, program, failure.termination);
}

/** True for a failure that waits for a person: no route leads around it. */
export function isPause({ termination }: Failure): boolean {
  return outcome(termination) === 'paused';
}

/** Reaches an ending, of which a hook may have to be notified first. */
export function endWith(draft: Draft, program: Program, ending: Ending, output?: string): void {
  draft.ending = ending;
  draft.output = output ?? null;
  const { hooks } = program.document.workflow;
  const verdict = outcome(ending);
  const hook = verdict === 'succeeded' || verdict === 'skipped' ? 'on_complete' : 'on_error';
  draft.hook = hooks?.[hook] === undefined || verdict === 'paused' ? null : hook;
}

/** Without the stack, which names files of one machine. */
export function plain({ name, message, code }: ErrorData): JsonObject {
  return { name, message, ...(code !== undefined && { code }) };
}

/** The place of a unit of this workflow. */
export function unitPath({ scope }: WorkflowState, key: string): string {
  return makeScope(scope, key);
}
