import type { JsonObject } from 'fullstop';

/** A step of a workflow that is over, as the workflow records it together with the route it took. */
export interface StepDone {
  readonly step: string;
  readonly iterations: number;
  readonly limit: number;
}

/** Reads the entry of a step that is done, if that is what it is. */
export function stepDone({ type, from, iterations, limit }: JsonObject): StepDone | undefined {
  const isDone =
    type === 'route' && typeof from === 'string' && typeof iterations === 'number' && typeof limit === 'number';
  return isDone ? { step: from, iterations, limit } : undefined;
}

const otherEnds: ReadonlySet<unknown> = new Set(['step_failed', 'terminated', 'terminate_failed']);

/** The name of a step that ended, successfully or not. */
export function endedStep(data: JsonObject): string | undefined {
  const { type, step } = data;
  return stepDone(data)?.step ?? (otherEnds.has(type) && typeof step === 'string' ? step : undefined);
}
