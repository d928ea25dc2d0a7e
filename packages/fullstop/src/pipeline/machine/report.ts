import { frozen, frozenCopy } from '../../run/frozen.js';
import type { UnitResult } from '../../run/run-context.js';
import type { Ending, Outcome } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { ChildReference } from '../../termination/kinds/error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import type { PlannedStage } from './plan.js';
import { outcomeIn, type StageView } from './stage-view.js';

/** The output of a stage, as the journal holds it. */
export interface StageReport {
  readonly outcome: Outcome;
  readonly output?: JsonValue;
  /** The word for dashboards, where it is not the kind. */
  readonly tag?: string;
  readonly attempts?: number;
  /** How the executor ended, where the stage ended otherwise. */
  readonly executor?: AnyTermination;
  /** The name of the work that ended so, where it is not the one that the stage names first. */
  readonly executorName?: string;
  /** The units inside a failed stage that its ending comes from. */
  readonly links?: readonly ChildReference[];
  /** How these ended, where the stage ended otherwise. */
  readonly cause?: AnyTermination;
  readonly advisory?: true;
  /** Where a failed stage ran, which is not where its name says if it had ended for good before. */
  readonly path?: string;
}

/** The report of a stage; one that was ended from outside has none of its own. */
export function reportOf(
  result: Pick<UnitResult, 'termination' | 'output'>,
  registry: TerminationRegistry,
): StageReport {
  return (
    (result.output as unknown as StageReport | undefined) ?? {
      outcome: outcomeIn(registry, result.termination as Ending),
    }
  );
}

/** The name of the work that the ending of a stage's executor is of. */
export function executorNameOf({ name, executor }: PlannedStage, report: StageReport): string {
  return report.executorName ?? executor.name ?? name;
}

/** The view of a stage for later ones. They cannot change it: they see what the journal holds. */
export function viewOf(stage: PlannedStage, result: UnitResult, report: StageReport): StageView {
  const termination = frozenCopy(result.termination);
  const ofExecutor = report.executor === undefined ? termination : frozenCopy(report.executor);
  return Object.freeze({
    name: stage.name,
    outcome: report.outcome,
    termination,
    executor: Object.freeze({ name: executorNameOf(stage, report), termination: ofExecutor }),
    output: frozen(report.output),
  });
}
