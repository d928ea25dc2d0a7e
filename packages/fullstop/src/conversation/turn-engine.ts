import type { ConversationPlace } from '../engines/port/conversation-place.js';
import { delegateEngine } from '../engines/port/delegate-engine.js';
import { type Engine, RunIdConflict } from '../engines/port/engine.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { makeTurnId, makeTurnOptions } from './turn-start.js';

export interface TurnToStart {
  readonly place: ConversationPlace;
  /** How many of the last messages of its input are said in this turn. */
  readonly said: number;
  /** The size of the messages before those, in tokens; 0 where nobody knows. */
  readonly promptTokens: number;
  /** Called when the turn has started, before anything of it is executed. */
  readonly onStart: () => void | Promise<void>;
}

/**
 * The engine on which the run of a turn is started: the start says which turn it is, and counts only if it was this one. All
 * checks of the agent come before it, so that a turn which is refused leaves nothing behind.
 */
export function turnEngine(engine: Engine, { place, said, promptTokens, onStart }: TurnToStart): Engine {
  const turnId = makeTurnId(place.id, place.turn);
  return {
    ...delegateEngine(engine),
    start: async (request) => {
      if (request.runId !== turnId) return engine.start(request);
      const turn = {
        ...request,
        conversation: place,
        options: { ...request.options, ...makeTurnOptions(said, promptTokens) },
      };
      const receipt = await engine.start(turn).catch((error: unknown) => {
        if (error instanceof RunIdConflict) return 'exists' as const;
        throw error;
      });
      // The same words by someone else, at the same time, are another turn all the same.
      if (receipt === 'exists') throw takenTurn(place);
      await onStart();
      return receipt;
    },
  };
}

function takenTurn({ id, turn }: ConversationPlace): FullstopError {
  return new FullstopError(
    'TURN_REFUSED',
    `Turn ${turn} of the conversation ${JSON.stringify(id)} was not started: somebody else started it first. Wait for its ending, or stop it.`,
    { details: { reason: 'taken', runId: makeTurnId(id, turn), conversation: id } },
  );
}
