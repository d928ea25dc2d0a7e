import type { JsonObject } from 'fullstop';
import type { LoopObservation } from 'fullstop/machine';

/** The entry as an observation of an agent loop, if that is what it is. */
export function loopObservation(data: JsonObject): LoopObservation | undefined {
  const { point, iterations, usage } = data;
  const isLoop = typeof point === 'string' && typeof iterations === 'number' && typeof usage === 'object';
  return isLoop ? (data as unknown as LoopObservation) : undefined;
}

/** The last observation of an agent loop among those of a unit, or the last that is wanted; read from the end, since there may be many. */
export function lastLoopObservation(
  observed: readonly { readonly data: JsonObject }[],
  isWanted: (observation: LoopObservation) => boolean = () => true,
): LoopObservation | undefined {
  for (let index = observed.length - 1; index >= 0; index -= 1) {
    const found = loopObservation(observed[index]?.data ?? {});
    if (found !== undefined && isWanted(found)) return found;
  }
  return undefined;
}
