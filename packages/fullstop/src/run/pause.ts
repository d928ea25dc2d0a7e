import type { OpenRequest } from '../engines/port/request.js';
import type { PendingGate, PendingRequest } from '../termination/kinds/human.js';
import type { Termination } from '../termination/kinds.js';
import { terminations } from '../termination/terminations.js';

/** The ending of a run that waits: only gates give `gate_pending`, anything else lists all requests. */
export function pauseOf(open: readonly OpenRequest[]): Termination<'gate_pending' | 'interaction_pending'> {
  if (open.every((request) => request.type === 'gate')) return terminations.gatePending({ gates: open.map(toGate) });
  return terminations.interactionPending({ requests: open.map(toRequest) });
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
