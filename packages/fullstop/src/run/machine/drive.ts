import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { RunContext, RunEnd } from '../run-context.js';
import { asUnitContext, type UnitContext } from '../unit/unit-context.js';
import { waitForever } from '../unit/wait-forever.js';
import { type FoldPlace, foldMachine, type OpenDecision } from './fold-machine.js';
import type { AtLimit, Machine, MachineDecision, MachinePerformer } from './machine.js';
import { Tasks } from './tasks.js';

/** Options of `drive`: the machine, the one that performs its effects, and the input. */
export interface DriveOptions<TState, TPlan, TInput> {
  readonly machine: Machine<TState, TPlan, TInput>;
  readonly performer: MachinePerformer<TPlan>;
  readonly context: RunContext;
  readonly input: TInput;
}

/**
 * Runs a machine: asks what to do, performs it through the context and folds the observations in, in the order of the
 * journal. On resume the same loop runs over what the journal holds, so that nothing is decided twice.
 */
export async function drive<TState, TPlan, TInput>(
  options: DriveOptions<TState, TPlan, TInput>,
): Promise<RunEnd<Ending>> {
  const { machine, performer, input } = options;
  const context = asUnitContext(options.context);
  // What a machine has observed stands; it continues after an ending by its own `resume`.
  context.letFailuresStand();
  const fold = foldMachine({ machine, input, place: placeOf(context) });
  const tasks = new Tasks(context, performer);
  const reached = (limit: AnyTermination): readonly AnyTermination[] =>
    endingsOf(machine.atLimit?.(fold.state(), limit, tasks.coming())).slice(0, 1);
  context.onLimit({
    reached,
    onLimit(limit) {
      const answer = machine.atLimit?.(fold.state(), limit, tasks.coming());
      if (answer === undefined) return undefined;
      const [first, ...others] = endingsOf(answer);
      if (answer.type === 'end') return { termination: first as AnyTermination, also: others };
      context.holdAt(limit, [first as AnyTermination]);
      return tasks.stopAtLimit(limit) ? 'held' : { termination: limit, also: [first as AnyTermination] };
    },
  });
  for (;;) {
    const decision = fold.decide();
    if (decision.type === 'end') {
      if (decision.withdraw === true) tasks.withdrawExcept([]);
      tasks.close();
      return toEnd(decision, context.heldAt);
    }
    if (context.heldAt !== undefined && context.nextOrdinal > context.lastOrdinal && goesOn(decision)) {
      context.endHeld(reached(context.heldAt));
      return waitForever();
    }
    context.keepCauses(decision.also as readonly AnyTermination[] | undefined);
    const ready = await tasks.perform(decision);
    // What was cut off with a unit is not its outcome: a resume continues it.
    if (context.ended) return waitForever();
    fold.apply(ready);
  }
}

function placeOf(context: UnitContext): FoldPlace {
  // The journal of earlier executions does not grow any more: whoever is beyond it stays there.
  let isAtFront = false;
  return {
    startedAt: context.now(),
    openings: context.openings(),
    timeline: context.timeline,
    nextOrdinal: () => context.nextOrdinal,
    lastOrdinal: () => context.lastOrdinal,
    isAtFront: () => {
      isAtFront ||= context.nextOrdinal > context.lastOrdinal;
      return isAtFront;
    },
    slotAt: (ordinal) => context.slotAt(ordinal),
    observe: (observation) => context.observe(observation),
  };
}

/** The endings that a machine has come to when a limit is reached. */
function endingsOf(answer: AtLimit | undefined): readonly AnyTermination[] {
  if (answer === undefined) return [];
  const endings = answer.type === 'stop' ? [answer.reached] : [answer.termination, ...answer.also];
  return endings as readonly AnyTermination[];
}

/** True for a decision that leads beyond an ending: what asks the user's code about it does not. */
function goesOn(decision: OpenDecision<unknown>): boolean {
  return decision.type === 'perform' && decision.effects.some(({ type }) => type !== 'record');
}

function toEnd(
  decision: Extract<MachineDecision<unknown>, { type: 'end' }>,
  limit: Ending | undefined,
): RunEnd<Ending> {
  const { termination, output, notResumable } = decision;
  const { also = [] } = decision;
  const isKnown = limit === undefined || [termination, ...also].some(({ kind }) => kind === limit.kind);
  const losers = isKnown ? decision.also : [...also, limit];
  return {
    termination,
    ...(losers !== undefined && { also: losers }),
    ...(output !== undefined && { output: output as JsonValue }),
    ...(notResumable !== undefined && { notResumable }),
  };
}
