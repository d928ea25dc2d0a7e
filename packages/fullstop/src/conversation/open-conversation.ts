import type { Agent, AgentResult, AgentRunOptions } from '../agent/agent.js';
import type { AgentInput } from '../agent/options/agent-options.js';
import type { AgentStream } from '../agent/stream/agent-stream.js';
import type { AbortSignalLike, Engine } from '../engines/port/engine.js';
import { host } from '../engines/port/host.js';
import type { ModelMessage } from '../models/message.js';
import { nextTurn } from '../run/segment/next-turn.js';
import { checkOptions, invalidOption, someName } from '../stop/check-option.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject } from '../termination/json.js';
import type { AnyTermination } from '../termination/kinds.js';
import { busyError, checkSendOptions, saidIn } from './check-send.js';
import type { Conversation, ReplaceOptions, SendOptions, Turn, TurnResumeOptions } from './conversation.js';
import { readLatest, readSize, readStart, readTurn, readTurns, type TurnSummary } from './read-turns.js';
import { settleMessages, withoutInstructions } from './settle-messages.js';
import { turnEngine } from './turn-engine.js';
import { makeTurnId } from './turn-start.js';

/** Options of a conversation: its agent and the engine that keeps its turns. */
export interface ConversationOptions<TEnding extends Ending = AnyTermination, TOutput = unknown> {
  /** Answers the turns from now on; earlier ones may have had another. */
  readonly agent: Agent<TEnding, TOutput>;
  /** Where the conversation is kept. */
  readonly engine: Engine;
}

/**
 * A conversation with an agent: turns over one durable history. Opening it reads and writes nothing.
 *
 * @example
 * const chat = conversation('chat-1', { agent, engine });
 * const result = await chat.send('What does it cost?');
 */
export function conversation<TEnding extends Ending = AnyTermination, TOutput = unknown>(
  id: string,
  options: ConversationOptions<TEnding, TOutput>,
): Conversation<TEnding, TOutput> {
  someName(id, { builder: 'conversation', option: 'id' });
  if (!isObject(options)) throw invalidOption(options, { builder: 'conversation', option: '' }, 'an object');
  checkOptions<object>(options, 'conversation', ['agent', 'engine'] as never[]);
  const { agent, engine } = options;
  if (typeof agent?.result !== 'function')
    throw invalidOption(agent, { builder: 'conversation', option: 'agent' }, 'an agent, such as one of defineAgent');
  if (typeof engine?.start !== 'function')
    throw invalidOption(engine, { builder: 'conversation', option: 'engine' }, 'an engine, such as memoryEngine()');
  return new AgentConversation(id, options);
}

/** A turn that is to be started, with everything that was said before it. */
interface NextTurn {
  readonly latest: TurnSummary | undefined;
  readonly after: { readonly runId: string; readonly segment: number } | undefined;
  readonly before: readonly ModelMessage[];
}

/** How a turn is run once its place is known. */
type RunTurn<T> = (input: AgentInput, options: AgentRunOptions, started: Promise<void>) => Promise<T>;

class AgentConversation<TEnding extends Ending, TOutput> implements Conversation<TEnding, TOutput> {
  readonly id: string;
  readonly #agent: Agent<TEnding, TOutput>;
  readonly #engine: Engine;

  constructor(id: string, { agent, engine }: ConversationOptions<TEnding, TOutput>) {
    this.id = id;
    this.#agent = agent;
    this.#engine = engine;
  }

  async send(input: AgentInput, options: SendOptions = {}): Promise<AgentResult<TEnding, TOutput>> {
    const { result } = await this.#start(input, options, async (messages, runOptions) => {
      return { result: await this.#agent.run(messages, runOptions) };
    });
    return result;
  }

  stream(input: AgentInput, options: SendOptions = {}): Promise<AgentStream<TEnding, TOutput>> {
    return this.#start(input, options, async (messages, runOptions, started) => {
      const stream = this.#agent.stream(messages, runOptions);
      await Promise.race([started, stream.result]);
      return stream;
    });
  }

  edit(turn: number, input: AgentInput, options: ReplaceOptions = {}): Promise<AgentResult<TEnding, TOutput>> {
    return this.send(input, { ...options, replaces: turn });
  }

  async retry(turn?: number, options: ReplaceOptions = {}): Promise<AgentResult<TEnding, TOutput>> {
    const retried = turn === undefined ? await this.#latest() : await readTurn(this.#engine, this.id, turn);
    const { said } = await readStart(this.#engine, retried.runId);
    return this.send(said, { ...options, replaces: retried.conversation.turn });
  }

  async resume(options: TurnResumeOptions<string> = {}): Promise<never> {
    const { runId } = await this.#latest();
    return (await this.#agent.resume(runId, { ...options, engine: this.#engine })) as never;
  }

  async resumeStream(options: TurnResumeOptions<string> = {}): Promise<never> {
    const { runId } = await this.#latest();
    return this.#agent.resumeStream(runId, { ...options, engine: this.#engine }) as never;
  }

  async stop(reason?: string): Promise<AgentResult<TEnding, TOutput> | undefined> {
    const latest = await readLatest(this.#engine, this.id);
    if (latest === undefined || latest.state === 'ended') return undefined;
    const { runId } = latest;
    const request = { by: 'caller', ...(reason !== undefined && { reason }) } as const;
    if ((await this.#engine.cancel(runId, request)) === 'requested') await this.#untilEnded(latest);
    return this.#agent.result(runId, { engine: this.#engine });
  }

  async messages(turn?: number): Promise<readonly ModelMessage[]> {
    const read = turn === undefined ? readLatest(this.#engine, this.id) : readTurn(this.#engine, this.id, turn);
    const found = await read;
    return found === undefined ? [] : this.#messagesOf(found);
  }

  turns(): Promise<readonly Turn[]> {
    return readTurns(this.#engine, this.id);
  }

  async #messagesOf({ runId }: TurnSummary): Promise<readonly ModelMessage[]> {
    const { before, said } = await readStart(this.#engine, runId);
    const asked = [...before, ...said];
    const result = await this.#agent.result(runId, { engine: this.#engine });
    if (result === undefined) return asked;
    return result.category === 'paused' ? withoutInstructions(result.messages, asked) : settleMessages(result, asked);
  }

  async #latest(): Promise<TurnSummary> {
    const latest = await readLatest(this.#engine, this.id);
    if (latest !== undefined) return latest;
    throw new FullstopError('RUN_NOT_FOUND', `The conversation ${JSON.stringify(this.id)} has no turn yet.`);
  }

  /** Starts the next turn; one that finds another in its way is refused, or waits and tries again. */
  async #start<T>(input: AgentInput, options: SendOptions, run: RunTurn<T>): Promise<T> {
    const { after: _after, replaces: _replaces, whenBusy, ...runOptions } = checkSendOptions(options);
    const said = saidIn(input, this.#agent.name);
    for (;;) {
      try {
        const next = await this.#next(options);
        return await this.#startNext(said, next, runOptions, run);
      } catch (error) {
        if (whenBusy !== 'wait' || !FullstopError.is(error) || error.code !== 'TURN_REFUSED') throw error;
      }
      const latest = await readLatest(this.#engine, this.id);
      if (latest !== undefined && latest.state !== 'ended') await this.#untilEnded(latest, options.signal);
    }
  }

  /** The place of the next turn, and what was said before it. */
  async #next({ after, replaces }: Pick<SendOptions, 'after' | 'replaces'>): Promise<NextTurn> {
    const engine = this.#engine;
    const latest = await readLatest(engine, this.id);
    if (replaces !== undefined) {
      const replaced = await readTurn(engine, this.id, replaces);
      return {
        latest,
        after: replaced.conversation.after,
        before: (await readStart(engine, replaced.runId)).before,
      };
    }
    const before = after === undefined ? latest : await readTurn(engine, this.id, after);
    if (before === undefined) return { latest, after: undefined, before: [] };
    // Its messages are read once it has ended: from then on a change of them opens a segment, which the engine notices.
    if (before.state !== 'ended') throw busyError(before);
    const { runId, segment } = before;
    return { latest, after: { runId, segment }, before: await this.#messagesOf(before) };
  }

  async #startNext<T>(
    said: readonly ModelMessage[],
    next: NextTurn,
    options: AgentRunOptions,
    run: RunTurn<T>,
  ): Promise<T> {
    const { latest, after, before } = next;
    const turn = (latest?.conversation.turn ?? 0) + 1;
    const place = { id: this.id, turn, ...(after !== undefined && { after }) };
    let tell: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const onStart = (): Promise<void> => {
      tell();
      // Whoever gets the stream asks for what they want of it before the model is called.
      return new Promise((begin) => {
        nextTurn(begin);
      });
    };
    const promptTokens = after === undefined ? 0 : await readSize(this.#engine, after.runId);
    const engine = turnEngine(this.#engine, { place, said: said.length, promptTokens, onStart });
    return run([...before, ...said], { ...options, runId: makeTurnId(this.id, turn), engine }, started);
  }

  /** Waits until a turn has ended and is not paused any more. One that nobody executes, because its process died, is executed here. */
  async #untilEnded(turn: TurnSummary, signal?: AbortSignalLike): Promise<void> {
    const { runId, segment, state } = turn;
    const engine = this.#engine;
    const isOurs = turn.name === this.#agent.name && turn.version === this.#agent.version;
    const session = isOurs ? await engine.claim(runId, `conversation_${host.crypto.randomUUID()}`) : undefined;
    if (session !== undefined) await this.#agent.execute(session, engine);
    const isPaused = state === 'parked' && (await engine.ending(runId)) !== undefined;
    await engine.waitForEnding(runId, isPaused ? segment + 1 : segment, signal);
  }
}
