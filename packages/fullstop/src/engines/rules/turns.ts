import { assertNever } from '../../termination/assert-never.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { ConversationPlace } from '../port/conversation-place.js';
import type { RunState } from '../port/engine.js';

/** The latest turn of a conversation. */
export interface LatestTurn {
  readonly runId: string;
  readonly turn: number;
  readonly state: RunState;
  readonly hasEnding: boolean;
}

export interface TurnFacts {
  readonly latest: LatestTurn | undefined;
  /** The segment of the run that the new turn continues; undefined where that run is gone. */
  readonly afterSegment: number | undefined;
}

/** The reason why a turn cannot be started, and the run in its way. */
export interface TurnRefusal {
  readonly reason: 'running' | 'paused' | 'taken' | 'changed';
  readonly runId: string;
}

/** Why a turn cannot be started; undefined when it can. Of two that are started after the same turn one wins. */
export function refuseTurn(place: ConversationPlace, { latest, afterSegment }: TurnFacts): TurnRefusal | undefined {
  if (latest !== undefined && latest.state !== 'ended')
    return { reason: latest.hasEnding ? 'paused' : 'running', runId: latest.runId };
  if (place.turn !== (latest?.turn ?? 0) + 1) return { reason: 'taken', runId: latest?.runId ?? '' };
  const { after } = place;
  if (after !== undefined && afterSegment !== undefined && afterSegment !== after.segment)
    return { reason: 'changed', runId: after.runId };
  return undefined;
}

/** The error of a turn that cannot be started. */
export function turnRefused({ id, turn }: ConversationPlace, { reason, runId }: TurnRefusal): FullstopError {
  return new FullstopError(
    'TURN_REFUSED',
    `Turn ${turn} of the conversation ${JSON.stringify(id)} was not started: ${wordsOf(reason, runId)}`,
    { details: { reason, runId, conversation: id } },
  );
}

function wordsOf(reason: TurnRefusal['reason'], runId: string): string {
  switch (reason) {
    case 'running':
      return `${runId} is under way. Wait for its ending, or stop it.`;
    case 'paused':
      return `${runId} waits for answers. Answer them, or stop it.`;
    case 'taken':
      return runId === ''
        ? 'the conversation has no turn yet, so its first is turn 1.'
        : `it is not the next one, which comes after ${runId}. Read the conversation again.`;
    case 'changed':
      return `${runId} was continued after its messages were read. Read the conversation again.`;
    default:
      return assertNever('Unknown reason', reason);
  }
}
