import type { AgentResult, AgentResumeOptions, AgentRunOptions } from '../agent/agent.js';
import type { AgentInput } from '../agent/options/agent-options.js';
import type { AgentStream } from '../agent/stream/agent-stream.js';
import type { ConversationPlace } from '../engines/port/conversation-place.js';
import type { RunSummary } from '../engines/port/engine.js';
import type { ModelMessage } from '../models/message.js';
import type { EndingOfKind } from '../stop/condition.js';
import type { Ending } from '../termination/ending.js';
import type { AnyTermination } from '../termination/kinds.js';

/** One turn: a run with its own ending, at its place in the conversation. */
export interface Turn extends RunSummary {
  readonly conversation: ConversationPlace;
  /** The messages that the turn was started with, without those before it. */
  readonly said: readonly ModelMessage[];
  /** True where the latest turn comes after it, or is it. */
  readonly isCurrent: boolean;
}

/** The options of a turn: those of a run, without its place. */
export interface SendOptions extends Omit<AgentRunOptions, 'clock' | 'engine' | 'runId'> {
  /** The number of the turn that this one continues, which makes a branch; the latest unless given. */
  readonly after?: number;
  /** Instead of `after`: the turn in whose place this one comes. The older one stays, as a branch of its own. */
  readonly replaces?: number;
  /** While another turn is under way or waits for answers: `refuse`, with `TURN_REFUSED`, or `wait` until it has ended; `refuse` unless given. */
  readonly whenBusy?: 'refuse' | 'wait';
}

/** Options of a turn that comes in the place of another. */
export type ReplaceOptions = Omit<SendOptions, 'after' | 'replaces'>;

/** Options of resuming the latest turn. */
export type TurnResumeOptions<TKind extends string = never> = Omit<AgentResumeOptions<TKind>, 'engine'>;

/** Turns over one history, which is read from their runs. One turn is under way at a time, whatever process sends it. */
export interface Conversation<TEnding extends Ending = AnyTermination, TOutput = unknown> {
  readonly id: string;
  /** Runs the next turn and returns its ending. Rejects with `TURN_REFUSED`, and starts nothing, where it is not the next one. */
  send(input: AgentInput, options?: SendOptions): Promise<AgentResult<TEnding, TOutput>>;
  /** Starts the next turn and returns the stream to follow it. Rejects before anything is streamed, like `send`. */
  stream(input: AgentInput, options?: SendOptions): Promise<AgentStream<TEnding, TOutput>>;
  /** Says something else in the place of an earlier turn. */
  edit(turn: number, input: AgentInput, options?: ReplaceOptions): Promise<AgentResult<TEnding, TOutput>>;
  /** Says the same again in the place of a turn, the latest unless given. */
  retry(turn?: number, options?: ReplaceOptions): Promise<AgentResult<TEnding, TOutput>>;
  /** Continues the latest turn: with answers after a pause, with more room after a limit, or after its process died. */
  resume<TKind extends string = never>(
    options?: TurnResumeOptions<TKind>,
  ): Promise<AgentResult<TEnding | EndingOfKind<TKind>, TOutput>>;
  /** Continues the latest turn and returns the stream to follow it. */
  resumeStream<TKind extends string = never>(
    options?: TurnResumeOptions<TKind>,
  ): Promise<AgentStream<TEnding | EndingOfKind<TKind>, TOutput>>;
  /** Cancels the turn that is under way or paused, wherever it runs, and returns its ending; undefined where there is none. */
  stop(reason?: string): Promise<AgentResult<TEnding, TOutput> | undefined>;
  /**
   * The messages up to and with a turn, the latest unless given, as the next turn continues them. Of a turn that is under way
   * those that it was started with; of a paused one with the calls that wait.
   */
  messages(turn?: number): Promise<readonly ModelMessage[]>;
  /** All turns on all branches, in the order of their starts. */
  turns(): Promise<readonly Turn[]>;
}
