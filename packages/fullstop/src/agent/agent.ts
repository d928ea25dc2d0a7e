import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { ModelMessage } from '../models/message.js';
import type { AnswerRules } from '../run/changes/refuse-same-answer.js';
import type { RunDefinition } from '../run/define-run.js';
import type { RunContext, RunEnd } from '../run/run-context.js';
import type { ResumeOptions, RunOptions } from '../run/run-options.js';
import type { Secrets } from '../run/secrets/secrets.js';
import type { EndingOfKind, StopCondition } from '../stop/condition.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { AnyTermination } from '../termination/kinds.js';
import type { ChildRecord, IterationRecord, ToolCallRecord } from './machine/state.js';
import type { AgentInput } from './options/agent-options.js';
import type { ContextOption } from './options/context.js';
import type { AgentStream, FollowOptions } from './stream/agent-stream.js';
import type { AgentDelta } from './stream/deltas.js';

/** The ending of an agent's run, with everything it did. */
export interface AgentResult<TEnding extends Ending = AnyTermination, TOutput = unknown, TContext = unknown>
  extends Omit<Envelope<TEnding>, 'output'> {
  /** The output that fits the schema, or what was submitted; without a schema the text of the latest answer. Undefined where nothing fits. */
  readonly output?: TOutput;
  /** The text of the latest answer. */
  readonly text: string;
  /** The whole conversation, the prompt included. */
  readonly messages: readonly ModelMessage[];
  /** Every iteration with its calls and its usage. */
  readonly iterations: readonly IterationRecord[];
  /** Every call of a tool with its outcome, in the order of the journal. */
  readonly toolCalls: readonly ToolCallRecord[];
  /** The endings of agents inside this one. */
  readonly children: readonly ChildRecord[];
  /** Continues where it stopped, on the same engine and with the same context unless another is given. */
  resume<TKind extends string = never>(
    options?: Omit<AgentResumeOptions<TKind>, 'engine'> & { readonly context?: TContext },
  ): Promise<AgentResult<TEnding | EndingOfKind<TKind>, TOutput, TContext>>;
  /** The journal of the run. */
  journal(): Promise<readonly JournalEntry[]>;
}

/** The ending of an agent inside another run. */
export interface AgentEnd<TEnding extends Ending = AnyTermination, TOutput = unknown> extends RunEnd<TEnding> {
  readonly output?: TOutput;
}

/** Options of one run of an agent: where it is kept, its id, its signal, its context. */
export interface AgentRunOptions extends RunOptions {
  /** Notified of the words of the models as they come, those of agents inside too; models stream only when it is given. */
  readonly onDelta?: (delta: AgentDelta) => void;
}

/** Changes that a resume of an agent brings: answers, limits, guidance, other conditions. */
export interface AgentResumeOptions<TKind extends string = never>
  extends Pick<
    ResumeOptions,
    'answers' | 'by' | 'deadlines' | 'signal' | 'onPause' | 'onlyAfter' | 'alwaysReplay' | 'onEntry'
  > {
  /** The engine that has the run. */
  readonly engine: Engine;
  /** The condition that holds from now on, or a list of them: one of the same name replaces, a new one is appended. */
  readonly stopWhen?: StopCondition<TKind> | readonly StopCondition<TKind>[];
  /** Conditions to leave out, by name. */
  readonly without?: readonly string[];
  /** A message to the model before it continues. */
  readonly guidance?: string;
  /** A higher cap for answers, after one that was cut off. */
  readonly settings?: { readonly maxOutputTokens?: number };
  /** How often the model may correct an output that does not fit, as a total of the run. */
  readonly repair?: number;
  /** Called with every piece of an answer as the model writes it. */
  readonly onDelta?: AgentRunOptions['onDelta'];
}

/** Options that may be left out, unless a context has to be among them. */
type WithContext<TOptions, TContext> = undefined extends TContext
  ? [options?: TOptions & ContextOption<TContext>]
  : [options: TOptions & ContextOption<TContext>];

/** An agent that can be run, resumed and executed by workers. */
export interface Agent<TEnding extends Ending = AnyTermination, TOutput = unknown, TContext = unknown>
  extends RunnableDefinition,
    Pick<RunDefinition<AgentInput, TEnding, TOutput>, 'abandon'> {
  /** Starts a run and returns its ending. Never rejects once the run has started. */
  run(
    input: AgentInput,
    ...given: WithContext<AgentRunOptions, TContext>
  ): Promise<AgentResult<TEnding, TOutput, TContext>>;
  /** Starts a run and returns the stream to follow it: deltas, journal entries, or a UI message stream of the AI SDK. */
  stream(input: AgentInput, ...given: WithContext<AgentRunOptions, TContext>): AgentStream<TEnding, TOutput>;
  resume<TKind extends string = never>(
    runId: string,
    options: AgentResumeOptions<TKind> & ContextOption<TContext>,
  ): Promise<AgentResult<TEnding | EndingOfKind<TKind>, TOutput, TContext>>;
  /** Continues a run and returns the stream to follow it; the UI message stream has only what is new. */
  resumeStream<TKind extends string = never>(
    runId: string,
    options: AgentResumeOptions<TKind> & ContextOption<TContext>,
  ): AgentStream<TEnding | EndingOfKind<TKind>, TOutput>;
  /**
   * Follows a run that any process executes or has executed: deltas where it is live in this process, its journal elsewhere.
   * A reload, a second tab and a finished run have the same UI message.
   */
  follow(runId: string, options: FollowOptions): AgentStream<TEnding, TOutput>;
  /** The latest ending, if there is one. */
  result(runId: string, options: { readonly engine: Engine }): Promise<AgentResult<TEnding, TOutput> | undefined>;
  /** Runs it as a unit inside another run; its output is that of `run`. Without a context of its own it has that of its definition. */
  within(
    context: RunContext,
    input: AgentInput,
    given?: { readonly context?: TContext },
  ): Promise<AgentEnd<TEnding, TOutput>>;
  /** The kinds that it can end with. */
  readonly kinds: readonly string[];
  /** The stop conditions that it is defined with. */
  readonly stopWhen: readonly StopCondition<string>[];
  /** The cap of an answer and the number of corrections that it is defined with. */
  readonly answers: AnswerRules;
  /** The secrets that it seals: its parent seals them too. */
  readonly secrets?: Secrets;
  /** The definitions of kinds of its own: its parent has to know them. */
  readonly terminations: readonly AnyTerminationDefinition[];
}
