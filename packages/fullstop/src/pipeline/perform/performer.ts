import { drive } from '../../run/machine/drive.js';
import type { MachinePerformer } from '../../run/machine/machine.js';
import type { RunContext, RunEnd, UnitResult } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { type SequencePlan, sequenceMachine } from '../machine/machine.js';
import { type Sequence, type StageRules, sequenceOf } from '../machine/plan.js';
import { doneReader } from '../machine/views.js';
import { performStage } from './perform-stage.js';
import { textOrNothing } from './text-or-nothing.js';

interface SequenceRun {
  readonly sequence: Sequence;
  readonly context: RunContext;
  /** The values that stages see besides the results of those before them in this sequence. */
  readonly base: object;
  readonly rules: StageRules;
}

/** Runs stages one after the other in the scope of a context. */
export function runSequence(run: SequenceRun): Promise<RunEnd<Ending>> {
  const { sequence, context, rules } = run;
  return drive({
    machine: sequenceMachine({ sequence, scope: context.scope, registry: rules.registry }),
    performer: sequencePerformer(run),
    context,
    input: undefined,
  });
}

function sequencePerformer({ sequence, base, rules }: SequenceRun): MachinePerformer<SequencePlan> {
  const doneOf = doneReader(base);
  return {
    record(plan) {
      if (plan.type === 'announce') return plan.text;
      throw unexpected(plan);
    },
    step(plan) {
      if (plan.type === 'before' || plan.type === 'after' || plan.type === 'gate')
        return callback(sequence, plan.type, doneOf(plan.views));
      throw unexpected(plan);
    },
    unit(plan, context) {
      if (plan.type === 'stage')
        return performStage(plan.stage, doneOf(plan.views), context, rules) as Promise<UnitResult>;
      if (plan.type !== 'phase') throw unexpected(plan);
      const inner = { sequence: sequenceOf(plan.phase), context, base: doneOf(plan.views), rules };
      return runSequence(inner) as Promise<UnitResult>;
    },
  };
}

async function callback(sequence: Sequence, type: 'before' | 'after' | 'gate', done: object): Promise<unknown> {
  const said = await sequence[type]?.(done as never);
  // Only the gate has something to say.
  return type === 'gate' ? textOrNothing(said, 'gate') : undefined;
}

function unexpected({ type }: SequencePlan): FullstopError {
  return new FullstopError('INTERNAL_DEFECT', `The pipeline asks for ${type} in the wrong place.`);
}
