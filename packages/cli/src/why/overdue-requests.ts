import { type Envelope, rootCause } from 'fullstop';

/** A request that nobody answered in time, where no one has applied that yet. */
export interface OverdueRequest {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly deadline: number;
}

/** The requests of a paused run whose time has passed since. */
export function overdueRequests(
  { category, termination }: Pick<Envelope, 'category' | 'termination'>,
  now: number = Date.now(),
): readonly OverdueRequest[] {
  if (category !== 'paused') return [];
  return waitingIn(rootCause(termination)).flatMap(({ id, deadline }) => {
    const instant = deadline === undefined ? Number.NaN : Date.parse(deadline);
    return instant <= now ? [{ id, deadline: instant }] : [];
  });
}

function waitingIn(
  cause: ReturnType<typeof rootCause>,
): readonly { readonly id: string; readonly deadline?: string }[] {
  if (cause.kind === 'interaction_pending') return cause.requests;
  return cause.kind === 'gate_pending' ? cause.gates.map(({ gateId, ...gate }) => ({ ...gate, id: gateId })) : [];
}
