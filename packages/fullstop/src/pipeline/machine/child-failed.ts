import type { UnitResult } from '../../run/run-context.js';
import type { ChildReference } from '../../termination/kinds/error.js';
import type { AnyTermination, Termination } from '../../termination/kinds.js';
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
 * How a pipeline ends because of a stage. The units inside the stage that failed are named as well, for a resume continues
 * what is named here. An ending that speaks of success cannot say why the pipeline failed; then that of the work does.
 */
export function childFailed({ child, result, report, registry }: FailedStage): Termination<'child_failed'> {
  const { links = [], cause = result.termination } = report;
  const isReplaced = cause !== result.termination;
  if (!isReplaced || isFine(outcomeIn(registry, result.termination))) return chain([child, ...links], cause);
  const others = links.map((link) => ({ child: link, termination: cause }));
  return terminations.childFailed({ child, termination: result.termination, ...(others.length > 0 && { others }) });
}

function chain(
  links: readonly [ChildReference, ...ChildReference[]],
  cause: AnyTermination,
): Termination<'child_failed'> {
  const [first, ...rest] = links;
  const termination = rest.reduceRight<AnyTermination>(
    (inner, child) => terminations.childFailed({ child, termination: inner }),
    cause,
  );
  return terminations.childFailed({ child: first, termination });
}
