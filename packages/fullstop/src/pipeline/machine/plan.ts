import { makePart, makeScope } from '../../run/journal/scope-path.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import type { PhaseOptions, StageOptions } from '../options/stage-options.js';
import type { Executor } from '../options/stage-work.js';

/** The kinds and tags that hold for all stages of a pipeline. */
export interface StageRules {
  readonly registry: TerminationRegistry;
  readonly customTags: readonly string[];
}

/** A stage as it was defined. */
export interface PlannedStage {
  readonly type: 'stage';
  readonly name: string;
  readonly executor: Executor<never, unknown>;
  readonly options: StageOptions<never, unknown>;
  /** True when nothing is decided after its work. */
  readonly isPlain: boolean;
  readonly phase?: string;
}

/** A phase as it was defined. */
export interface PlannedPhase {
  readonly type: 'phase';
  readonly name: string;
  readonly options: PhaseOptions<never>;
  readonly stages: readonly PlannedStage[];
}

export type PlannedItem = PlannedStage | PlannedPhase;

/** The stages of an item: itself, or those of the phase. */
export function stagesOf(item: PlannedItem): readonly PlannedStage[] {
  return item.type === 'stage' ? [item] : item.stages;
}

/** Stages in order, of a whole pipeline or of one phase. */
export interface Sequence {
  readonly type: 'pipeline' | 'phase';
  readonly name: string;
  readonly items: readonly PlannedItem[];
  readonly before?: ((done: never) => unknown) | undefined;
  readonly after?: ((done: never) => unknown) | undefined;
  readonly gate?: ((done: never) => unknown) | undefined;
}

export function sequenceOf({ name, stages, options }: PlannedPhase): Sequence {
  return { type: 'phase', name, items: stages, before: options.before, after: options.after };
}

/** All stages of a pipeline, with the path that the first visit of each has in the journal. */
export function placedStages(
  items: readonly PlannedItem[],
): readonly { readonly stage: PlannedStage; readonly path: string }[] {
  const visits = new Map<string, number>();
  return items.flatMap((item) => {
    if (item.type === 'stage') return [{ stage: item, path: item.name }];
    const visit = (visits.get(item.name) ?? 0) + 1;
    visits.set(item.name, visit);
    const scope = makePart({ name: item.name, visit });
    return item.stages.map((stage) => ({ stage, path: makeScope(scope, stage.name) }));
  });
}
