import type { UnitResult } from '../../run/run-context.js';
import type { ChildReference } from '../../termination/kinds/error.js';
import type { Termination } from '../../termination/kinds.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import { terminations } from '../../termination/terminations.js';
import type { StageReport } from './report.js';
import { isFine, outcomeIn } from './stage-view.js';

interface FailedStage {
  readonly child: ChildReference;
  readonly result: UnitResult;
  readonly report: StageReport;
  readonly registry: TerminationRegistry;
}

/**
 * How a pipeline ends because of a stage: one link with its name, whatever policies it has. The path is that of the innermost
 * unit inside the stage that failed, for a resume continues what is named here. An ending that speaks of success cannot say
 * why the pipeline failed; then that of the work does.
 */
export function childFailed({ child, result, report, registry }: FailedStage): Termination<'child_failed'> {
  const { links = [], cause = result.termination } = report;
  const path = links.at(-1)?.path ?? child.path;
  const termination = isFine(outcomeIn(registry, result.termination)) ? cause : result.termination;
  return terminations.childFailed({ child: { ...child, path }, termination });
}
