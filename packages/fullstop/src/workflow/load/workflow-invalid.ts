import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { formatProblem, type WorkflowProblem } from '../source/problem.js';

/** Thrown when a workflow file cannot be run as it is; the message lists every problem with file, line and column. */
export class WorkflowInvalid extends FullstopError {
  readonly problems: readonly WorkflowProblem[];

  constructor(problems: readonly WorkflowProblem[]) {
    const errors = problems.filter((problem) => problem.severity === 'error');
    const count = errors.length === 1 ? 'one problem' : `${errors.length} problems`;
    super(
      'INVALID_WORKFLOW',
      `The workflow has ${count}:\n${errors.map((one) => `  ${formatProblem(one)}`).join('\n')}`,
    );
    this.name = 'WorkflowInvalid';
    this.problems = problems;
  }
}
