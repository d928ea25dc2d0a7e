import { makeScope } from './scope-path.js';

/** The grammar of the keys and ids that `run` itself assigns to operations; bodies choose all others. */

/** A place in a journal: an operation of a unit. */
export interface OperationPlace {
  readonly scope: string;
  readonly ordinal: number;
}

/** Identifies an operation within a run. */
export function operationId({ scope, ordinal }: OperationPlace): string {
  return `${scope}:${ordinal}`;
}

/** The key of a question to a person. */
export function requestKey(requestId: string): string {
  return `request:${requestId}`;
}

/** The id of the question about a once-step whose outcome was lost. */
export function confirmationId({ scope, ordinal, key }: OperationPlace & { readonly key: string }): string {
  return `confirm:${makeScope(scope, key)}@${ordinal}`;
}

/** The key of the step that starts a run of its own. */
export function spawnKey(definition: string): string {
  return `spawn:${definition}`;
}

/** The key of the entry that remembers a run that was spawned. */
export function spawnedKey(runId: string): string {
  return `spawned:${runId}`;
}

/** The key of the step that takes the ending of a spawned run. */
export function spawnEndingKey(runId: string): string {
  return `ending:${runId}`;
}

/** The key of the step that passes an answer on to a spawned run. */
export function spawnAnswerKey(runId: string): string {
  return `answer:${runId}`;
}

/** The key of the step that resumes a spawned run. */
export function spawnResumeKey(runId: string): string {
  return `resume:${runId}`;
}

/** The id under which a run asks what a run asks that it has spawned; a number when it is asked again. */
export function bubbledRequestId(scope: string, requestId: string, turn: number): string {
  return `${makeScope(scope, requestId)}${turn === 1 ? '' : `~${turn}`}`;
}

/** The key that stays the same over all attempts at a step, for services that recognise a repeated call by it. */
export function idempotencyKey({
  runId,
  key,
  ...place
}: OperationPlace & { readonly runId: string; readonly key: string }): string {
  return `${runId}:${operationId(place)}:${key}`;
}

/** The id of the notice about an ending to one target. */
export function noticeId(runId: string, segment: number, target: string): string {
  return `${runId}:${segment}:${target}`;
}
