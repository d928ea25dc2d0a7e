import { hasNoSeparator } from '../run/journal/scope-path.js';
import { checkLimits } from '../run/limits.js';
import { checkOptions, oneWord, wholeLimit } from '../stop/check-option.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { TerminationRegistry } from '../termination/registry.js';
import { type PlannedItem, type PlannedPhase, type PlannedStage, stagesOf } from './machine/plan.js';
import { checkCallback } from './options/check-callback.js';
import { checkSharedLimits } from './options/check-shared-limits.js';
import type { PhaseOptions, StageOptions } from './options/stage-options.js';
import type { StageWork } from './options/stage-work.js';
import { executorOf } from './perform/function-executor.js';

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
  const executor = executorOf(work, where);
  checkStageOptions(options, `stage ${JSON.stringify(name)}`);
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
  return { type: 'stage', name, executor, options, isPlain, ...(phase !== undefined && { phase }) };
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
  const { limits, before, after } = checkOptions(options, `phase ${JSON.stringify(name)}`, [
    'limits',
    'before',
    'after',
  ]);
  checkSharedLimits(limits ?? {}, where);
  for (const [option, value] of Object.entries({ before, after }))
    checkCallback(value, { builder: `phase ${JSON.stringify(name)}`, option });
  const built: unknown = typeof build === 'function' && build(new PhaseBuilder(name, []));
  if (!(built instanceof PhaseBuilder))
    throw new FullstopError(
      'INVALID_OPTION',
      `${where} has no stages: its callback must return the phase that it was given, with stages: (phase) => phase.stage(…).`,
    );
  const { stages } = built;
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

/** Refuses stages that may end as something that their pipeline does not know. */
export function checkKinds(item: PlannedItem, registry: TerminationRegistry): void {
  for (const { name, executor } of stagesOf(item))
    for (const kind of executor.kinds) if (registry.find(kind) === undefined) throw unregistered(name, kind);
}

/** All options there are; the type makes sure that none is forgotten. */
const known: Required<Record<keyof StageOptions<never, unknown>, true>> = {
  skip: true,
  before: true,
  after: true,
  validate: true,
  attempts: true,
  limits: true,
  disposition: true,
  treatAsSuccess: true,
  onCompleted: true,
};
const callbacks = ['skip', 'before', 'after', 'validate', 'treatAsSuccess', 'onCompleted'] as const;

function checkStageOptions(options: StageOptions<never, unknown>, builder: string): void {
  checkOptions(options, builder, Object.keys(known) as (keyof StageOptions<never, unknown>)[]);
  for (const option of callbacks) checkCallback(options[option], { builder, option });
  const { disposition } = options;
  if (disposition !== undefined) oneWord(disposition, { builder, option: 'disposition' }, ['abort', 'advisory']);
}

function checkName(name: unknown, where: string): void {
  if (typeof name === 'string' && !['', 'input', '__proto__'].includes(name) && hasNoSeparator(name)) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `${where} needs another name: a text, not empty, not "input" or "__proto__", and without the characters / # ~, which paths in the journal are made of, NUL, and halves of surrogate pairs.`,
  );
}

function unregistered(stage: string, kind: string): FullstopError {
  return new FullstopError(
    'UNREGISTERED_TERMINATION',
    `The stage ${JSON.stringify(stage)} may end as ${JSON.stringify(kind)}, which the pipeline does not know; list its definition in terminations: [definition].`,
  );
}
