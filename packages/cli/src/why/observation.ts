import type { JsonObject } from 'fullstop';
import type { LoopObservation } from 'fullstop/machine';

/** The entry as an observation of an agent loop, if that is what it is. */
export function loopObservation(data: JsonObject): LoopObservation | undefined {
  const { point, iterations, usage } = data;
  const isLoop = typeof point === 'string' && typeof iterations === 'number' && typeof usage === 'object';
  return isLoop ? (data as unknown as LoopObservation) : undefined;
}

/** The observations of an agent loop among those of a unit. */
export function loopObservations(observed: readonly { readonly data: JsonObject }[]): readonly LoopObservation[] {
  return observed.flatMap(({ data }) => loopObservation(data) ?? []);
}
