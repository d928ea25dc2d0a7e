import type { OpenRequest } from '../../engines/port/request.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { PendingGate, PendingRequest } from '../../termination/kinds/human.js';
import type { Termination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';

/** The ending of a run that waits: `gate_pending` if there are only gates, otherwise all requests. */
export function pauseOf(open: readonly OpenRequest[]): Termination<'gate_pending' | 'interaction_pending'> {
  if (open.every((request) => request.type === 'gate')) return terminations.gatePending({ gates: open.map(toGate) });
  return terminations.interactionPending({ requests: open.map(toRequest) });
}

// Terminations write years with four digits: a deadline outside of them could never be told.
const firstInstant = Date.parse('0000-01-01T00:00:00.000Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** Refuses what is no instant, before anything depends on it. */
export function checkDeadline(requestId: string, deadline: number | undefined): void {
  if (deadline === undefined || (typeof deadline === 'number' && deadline >= firstInstant && deadline <= lastInstant))
    return;
  throw new FullstopError(
    'INVALID_OPTION',
    `The deadline of ${JSON.stringify(requestId)} is ${found(deadline)}; it must be an instant in milliseconds since 1970, up to the year 9999.`,
  );
}

/** An instant as terminations write it. */
export function instantOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function toGate(request: OpenRequest): PendingGate {
  return {
    gateId: request.id,
    path: request.path,
    summary: request.summary ?? request.id,
    ...request.gate,
    ...(request.options !== undefined && { options: request.options }),
    ...(request.deadline !== undefined && { deadline: instantOf(request.deadline) }),
  };
}

function toRequest(request: OpenRequest): PendingRequest {
  return {
    id: request.id,
    path: request.path,
    type: request.type,
    ...(request.tool !== undefined && { tool: request.tool }),
    ...(request.input !== undefined && { input: request.input }),
    ...(request.schema !== undefined && { schema: request.schema }),
    ...(request.options !== undefined && { options: request.options }),
    ...(request.deadline !== undefined && { deadline: instantOf(request.deadline) }),
  };
}
