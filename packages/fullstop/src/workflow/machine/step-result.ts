import { addUsd } from '../../engines/port/money.js';
import type { MachineObservation } from '../../run/machine/machine.js';
import { assertNever } from '../../termination/assert-never.js';
import { applyRoute, keep } from './advance.js';
import { unitKey } from './effects.js';
import { fail, failureOf, thrownFailure, unitFailure, unitPath } from './fail.js';
import type { ObservedStep, Program } from './program.js';
import type { Draft, Failure, SetOutcome, UnitOutcome } from './state.js';

/** The output of a step, and where a person's choice leads. */
export interface StepResult {
  readonly output: string;
  readonly to?: string;
}

/** Keeps the output of a step, after which its routes are asked; a failure is routed or ends the workflow. */
export function applyResult(draft: Draft, program: Program, { step, observation }: ObservedStep): void {
  const result = resultOf(draft, program, { step, observation, key: unitKey(draft) });
  if ('failure' in result) {
    fail(draft, program, result.failure);
    return;
  }
  keep(draft, program, result.output);
  if (draft.ending === null) draft.choice = result.to ?? null;
}

/** The same for a record that has the verdict of its routes with it. */
export function applyRoutedResult(draft: Draft, program: Program, { step, observation }: ObservedStep): void {
  const result = resultOf(draft, program, { step, observation, key: unitKey(draft) });
  if ('failure' in result) {
    fail(draft, program, result.failure);
    return;
  }
  keep(draft, program, result.output);
  if (draft.ending === null) applyRoute(draft, program, outcomeOf<SetOutcome>(observation).verdict ?? {});
}

interface KeyedStep extends ObservedStep {
  /** The name of its unit. */
  readonly key: string;
}

/** The result of a step, whatever effect it was. */
export function resultOf(
  draft: Draft,
  program: Program,
  { step, observation, key }: KeyedStep,
): StepResult | { readonly failure: Failure } {
  switch (observation.type) {
    case 'value': {
      const { output, problem } = outcomeOf<SetOutcome>(observation);
      return problem === undefined ? { output: output ?? 'null' } : { failure: failureOf(problem) };
    }
    case 'error':
      return { failure: thrownFailure(observation.error) };
    case 'unit': {
      const { result } = observation;
      const row = program.steps.of(step);
      const path = unitPath(draft, key);
      if (row.machine.asksModel) draft.modelAsked = true;
      spend(draft, (result.output as unknown as Partial<UnitOutcome> | undefined) ?? result.used);
      row.machine.applyUnit?.(draft, { step, path, result });
      const failure = unitFailure(result, { name: step.name, path }, row);
      if (failure !== undefined) return { failure };
      const { output = 'null', to } = (result.output ?? {}) as unknown as Partial<UnitOutcome>;
      return { output, ...(to !== undefined && { to }) };
    }
    case 'answer':
    case 'slept':
    case 'not_started':
      return { failure: thrownFailure({ name: 'BatchStopped', message: 'never began', code: 'BATCH_STOPPED' }) };
    default:
      return assertNever('Unknown observation', observation);
  }
}

function spend(draft: Draft, outcome: Partial<UnitOutcome> | undefined): void {
  const { costUsd, tokens, estimated = false, unpriced = false } = outcome ?? {};
  if (tokens === undefined) return;
  draft.spent = {
    ...draft.spent,
    costUsd: addUsd(draft.spent.costUsd, costUsd ?? 0),
    tokens: draft.spent.tokens + tokens,
    unpriced: draft.spent.unpriced || unpriced || costUsd === null,
    ...(estimated && { estimated }),
  };
}

/** The value of a record or step of ours; an error that was thrown is a problem like any other. */
export function outcomeOf<T>(observation: MachineObservation): T {
  if (observation.type === 'value') return (observation.value ?? {}) as unknown as T;
  if (observation.type === 'error')
    return { problem: { error: observation.error, errorClass: 'internal' } } as unknown as T;
  return {} as T;
}
