import { itemsOf } from '../../run/log.js';
import type { RunContext, StepAttempt } from '../../run/run-context.js';
import type { AgentState, Call } from '../machine/state.js';
import type { HookFacts, IterationView } from '../options/hooks.js';
import type { ToolCallOptions } from '../tools/tool.js';
import { copyJson } from './copy-json.js';
import { snapshotOf } from './snapshot.js';

/** The facts about a run that the user's code gets, made once per execution. */
export interface RunFacts {
  readonly runId: string;
  /** The user's context; undefined when the run has none. */
  readonly context: unknown;
  readonly unit: Pick<RunContext, 'signal'>;
  /** A budget around the run that models without a known price are refused for. */
  readonly budgetUsd?: number | undefined;
}

interface OptionsOf {
  readonly call: Call;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
  readonly facts: RunFacts;
}

/** The options of a call. The getters are for what most tools do not look at and what has to be made first. */
export class CallOptions implements ToolCallOptions {
  readonly toolCallId: string;
  readonly #state: AgentState;
  readonly #attempt: StepAttempt;
  readonly #facts: RunFacts;
  #messages: ToolCallOptions['messages'] | undefined;

  constructor({ call, state, attempt, facts }: OptionsOf) {
    this.toolCallId = call.id;
    this.#state = state;
    this.#attempt = attempt;
    this.#facts = facts;
  }

  get messages(): ToolCallOptions['messages'] {
    this.#messages ??= copyJson(itemsOf(this.#state.messages));
    return this.#messages;
  }

  get context(): unknown {
    return this.#facts.context;
  }

  /** The name of the context in AI SDK 6. */
  get experimental_context(): unknown {
    return this.#facts.context;
  }

  get runId(): string {
    return this.#facts.runId;
  }

  get iteration(): number {
    return this.#state.counts.iterations + 1;
  }

  get attempt(): number {
    return this.#attempt.attempt;
  }

  get signal(): ToolCallOptions['signal'] {
    return this.#attempt.signal;
  }

  get abortSignal(): ToolCallOptions['abortSignal'] {
    return this.#attempt.signal;
  }

  get idempotencyKey(): string {
    return this.#attempt.idempotencyKey;
  }
}

/** The view of a hook: its own fields, with the facts about the run within reach. */
class HookView implements HookFacts {
  readonly #facts: RunFacts;
  readonly #attempt: StepAttempt | undefined;

  constructor(fields: object, facts: RunFacts, attempt: StepAttempt | undefined) {
    Object.assign(this, fields);
    this.#facts = facts;
    this.#attempt = attempt;
  }

  get context(): unknown {
    return this.#facts.context;
  }

  get runId(): string {
    return this.#facts.runId;
  }

  get signal(): HookFacts['signal'] {
    return this.#attempt?.signal ?? this.#facts.unit.signal;
  }

  get attempt(): number | undefined {
    return this.#attempt?.attempt;
  }

  get idempotencyKey(): string | undefined {
    return this.#attempt?.idempotencyKey;
  }
}

/** The view of a hook around a call. The getters are for what has to be made first, and what most hooks do not look at. */
class CallView extends HookView implements IterationView {
  declare readonly estimated?: boolean;
  readonly #state: AgentState;

  constructor(fields: object, { facts, attempt, state }: CalledFrom) {
    super(fields, facts, attempt);
    this.#state = state;
    if (state.estimated) this.estimated = true;
  }

  get usage(): IterationView['usage'] {
    return Object.freeze({ ...this.#state.usage });
  }

  get costUsd(): number | null {
    return this.#state.costUsd;
  }

  get iteration(): number {
    return this.#state.counts.iterations + 1;
  }

  get messages(): ToolCallOptions['messages'] {
    return snapshotOf(this.#state.messages);
  }
}

interface CalledFrom {
  readonly facts: RunFacts;
  readonly state: AgentState;
  readonly attempt?: StepAttempt | undefined;
}

/** The view of a hook around a call, with where the run is and what it used so far. */
export function callView<TFields extends object>(from: CalledFrom, fields: TFields): TFields & IterationView {
  return new CallView(fields, from) as unknown as TFields & IterationView;
}

/** A view of a hook with the facts about its run, and about the step that it is asked in if there is one. */
export function hookView<TFields extends object>(
  fields: TFields,
  facts: RunFacts,
  attempt?: StepAttempt,
): TFields & HookFacts {
  return new HookView(fields, facts, attempt) as unknown as TFields & HookFacts;
}
