import type { RunEnd } from '../../../run/run-context.js';
import type { Ending } from '../../../termination/ending.js';
import type { JsonValue } from '../../../termination/json.js';
import { terminations } from '../../../termination/terminations.js';
import { failureOf } from '../../machine/fail.js';
import type { UnitOutcome } from '../../machine/state.js';
import type { Problem } from '../../machine/step-problem.js';

/** The end of a unit that did what it was there for. */
export function unitDone(last: string, outcome: UnitOutcome): RunEnd<Ending> {
  return { termination: terminations.flowCompleted({ last }), output: outcome as unknown as JsonValue };
}

/** The end of a unit that failed. */
export function failUnit(problem: Problem): RunEnd<Ending> {
  return { termination: failureOf(problem).termination };
}
