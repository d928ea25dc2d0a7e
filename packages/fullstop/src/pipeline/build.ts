import { checkLimits } from '../run/limits.js';
import { wholeLimit } from '../stop/check-option.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { Registry } from '../termination/registry.js';
import type { StageWork } from './executor.js';
import { executorOf } from './function-executor.js';
import type { PlannedItem, PlannedPhase, PlannedStage } from './plan.js';
import type { PhaseOptions, StageOptions } from './stage-options.js';

interface StageDefinition {
  readonly name: string;
  readonly work: StageWork<never, unknown>;
  readonly options: StageOptions<never, unknown>;
  readonly phase?: string;
}

/** A stage as it was asked for; what cannot be meant is refused. */
export function plannedStage({ name, work, options, phase }: StageDefinition): PlannedStage {
  const where = `The stage ${JSON.stringify(name)}`;
  checkName(name, where);
  checkLimits(options.limits ?? {}, where);
  wholeLimit(options.attempts ?? 1, { builder: `stage ${JSON.stringify(name)}`, option: 'attempts' });
  if (options.attempts !== undefined && options.validate === undefined) {
    throw new FullstopError(
      'INVALID_OPTION',
      `${where} has attempts but no validate, so there would never be a second one. To try failures again, use retry(…).`,
    );
  }
  const { limits, validate, onCompleted, treatAsSuccess, after } = options;
  const isPlain = [limits, validate, onCompleted, treatAsSuccess, after].every((option) => option === undefined);
  return { type: 'stage', name, executor: executorOf(work), options, isPlain, ...(phase !== undefined && { phase }) };
}

interface PhaseDefinition {
  readonly name: string;
  readonly options: PhaseOptions<never>;
  build(phase: PhaseBuilder): PhaseBuilder;
}

/** A phase as it was asked for. */
export function plannedPhase({ name, options, build }: PhaseDefinition): PlannedPhase {
  const where = `The phase ${JSON.stringify(name)}`;
  checkName(name, where);
  checkLimits(options.limits ?? {}, where);
  const { stages } = build(new PhaseBuilder(name, []));
  return { type: 'phase', name, options, stages };
}

class PhaseBuilder {
  readonly stages: readonly PlannedStage[];
  readonly #phase: string;

  constructor(phase: string, stages: readonly PlannedStage[]) {
    this.#phase = phase;
    this.stages = stages;
  }

  stage(name: string, work: StageWork<never, unknown>, options: StageOptions<never, unknown> = {}): PhaseBuilder {
    const stage = plannedStage({ name, work, options, phase: this.#phase });
    return new PhaseBuilder(this.#phase, [...this.stages, stage]);
  }
}

/** The items with one more. Names of stages are unique, because later stages find outputs by them. */
export function addItem(items: readonly PlannedItem[], item: PlannedItem, registry: Registry): readonly PlannedItem[] {
  const stages = item.type === 'stage' ? [item] : item.stages;
  const taken = new Set(
    items.flatMap((each) => (each.type === 'stage' ? [each.name] : each.stages.map(({ name }) => name))),
  );
  for (const { name, executor } of stages) {
    if (taken.has(name)) throw duplicate(name);
    taken.add(name);
    for (const kind of executor.kinds) if (registry.find(kind) === undefined) throw unregistered(name, kind);
  }
  // Both are units of the pipeline, and a unit is found by its name.
  const units = new Map(items.map((each) => [each.name, each.type]));
  const other = units.get(item.name);
  if (other !== undefined && other !== item.type) throw duplicate(item.name);
  return [...items, item];
}

function checkName(name: string, where: string): void {
  if (name !== '' && name !== 'input' && !/[/#~]/.test(name)) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `${where} needs another name: not empty, not "input", and without the characters / # ~, which paths in the journal are made of.`,
  );
}

function duplicate(name: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `The name ${JSON.stringify(name)} is taken in this pipeline.`);
}

function unregistered(stage: string, kind: string): FullstopError {
  return new FullstopError(
    'UNREGISTERED_TERMINATION',
    `The stage ${JSON.stringify(stage)} may end as ${JSON.stringify(kind)}, which the pipeline does not know; list its definition in terminations: [definition].`,
  );
}
