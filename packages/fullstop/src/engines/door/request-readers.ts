import type { AnswerOption } from '../../termination/kinds/human.js';
import type { CancelRequest } from '../port/journal-entry.js';
import type { OnExpiry, OpenRequest, ReceivedAnswer } from '../port/request.js';
import { listOf, optional, type Reader, record } from './reader.js';
import { anyText, count, flag, instant, json, label, name, oneOf } from './readers.js';

/** Someone's wish that a run stops. */
export const cancelRequest: Reader<CancelRequest> = record<CancelRequest>({
  by: oneOf('caller', 'parent', 'signal', 'operator'),
  reason: optional(anyText),
  hard: optional(flag),
});

/** The effect of a deadline that nobody met. */
export const onExpiry: Reader<OnExpiry> = oneOf('end', 'reject', 'approve', 'escalate');

/** A question as its entry holds it. */
export const openRequest: Reader<OpenRequest> = record<OpenRequest>(
  {
    id: name,
    type: oneOf('approval', 'input', 'client_tool', 'confirm_outcome', 'gate'),
    summary: optional(anyText),
    tool: optional(anyText),
    input: optional(json),
    schema: optional(json),
    options: optional(listOf(record<AnswerOption>({ value: anyText, label: optional(anyText) }, 'ignored'))),
    otherAnswers: optional(flag),
    deadline: optional(instant),
    onExpiry: optional(onExpiry),
    answerers: optional(listOf(anyText)),
    escalation: optional(
      record<NonNullable<OpenRequest['escalation']>>({ to: anyText, deadline: optional(instant) }, 'ignored'),
    ),
    gate: optional(
      record<NonNullable<OpenRequest['gate']>>(
        { proposalId: optional(anyText), agentId: optional(anyText), cycle: optional(count) },
        'ignored',
      ),
    ),
    path: label,
    openedAt: instant,
  },
  'ignored',
);

/** An answer as its entry holds it. */
export const receivedAnswer: Reader<ReceivedAnswer> = record<ReceivedAnswer>(
  {
    requestId: name,
    decision: oneOf('approve', 'deny', 'value'),
    value: optional(json),
    reason: optional(anyText),
    by: optional(label),
    at: instant,
    expired: optional(flag),
  },
  'ignored',
);
