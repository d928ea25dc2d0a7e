import type { Charge } from '../engines/port/usage.js';
import { callModel } from '../models/call-model.js';
import type { LanguageModel } from '../models/language-model.js';
import type { ModelMessage } from '../models/message.js';
import { frozenCopy } from '../run/frozen.js';
import type { TokenCount } from '../run/prices.js';
import type { StepAttempt } from '../run/run-context.js';
import { found } from '../termination/check.js';
import { FullstopError } from '../termination/fullstop-error.js';
import { isObject } from '../termination/json.js';
import { toErrorData } from '../termination/to-error-data.js';
import { askHook } from './ask-hook.js';
import { type CompactionHelp, clearToolResults, withPinned } from './compaction.js';
import { nameOf, tokensOf, unanswered } from './perform-model.js';
import type { Prepared } from './prepared.js';
import { repairTranscript } from './repair-transcript.js';
import { snapshotOf } from './snapshot.js';
import type { AgentState, CompactionOutcome } from './state.js';

/** Makes the conversation shorter with every strategy in turn. */
export async function performCompaction(
  prepared: Prepared,
  state: AgentState,
  attempt: StepAttempt,
): Promise<CompactionOutcome> {
  const strategies = prepared.options.compaction?.strategies ?? [clearToolResults()];
  const account = new Account(prepared, attempt);
  const { hooks } = prepared.options;
  const known = snapshotOf(state.messages);
  const place = { iteration: state.counts.iterations + 1, before: known.length };
  const before = await askHook(hooks, 'beforeCompaction', Object.freeze({ ...place, messages: known }));
  if (before.directive !== undefined) return { directive: before.directive };
  if (before.denied !== undefined) return {};
  let messages = known;
  for (const strategy of strategies) {
    try {
      const given: unknown = await strategy.compact(Object.freeze([...messages]), account);
      messages = withPinned(known, checkMessages(given, strategy.name));
    } catch (error) {
      if (attempt.signal.aborted) throw error;
      return { failed: { stage: strategy.name, error: toErrorData(error) }, ...account.total };
    }
  }
  messages = repairTranscript(messages);
  const after = Object.freeze({ ...place, messages: frozenCopy(messages) });
  const { directive, injected } = await askHook(hooks, 'afterCompaction', after);
  return {
    messages,
    ...account.total,
    ...(directive !== undefined && { directive }),
    ...(injected !== undefined && { injected }),
  };
}

/** Refuses what is no conversation: the model would be asked nothing, or the next call would fail for a reason that nobody sees. */
function checkMessages(given: unknown, strategy: string): readonly ModelMessage[] {
  const isList = Array.isArray(given) && given.every((each) => isObject(each) && typeof each['role'] === 'string');
  if (isList && given.length > 0) return given as readonly ModelMessage[];
  throw new FullstopError(
    'INVALID_OPTION',
    `The strategy ${strategy} left ${isList ? 'no message' : found(given)}; it has to give the messages that stay.`,
  );
}

/** Asks models for the strategies and adds up what that costs. */
class Account implements CompactionHelp {
  readonly #prepared: Prepared;
  readonly #attempt: StepAttempt;
  #charge: Charge | undefined;

  constructor(prepared: Prepared, attempt: StepAttempt) {
    this.#prepared = prepared;
    this.#attempt = attempt;
  }

  get signal(): CompactionHelp['signal'] {
    return this.#attempt.signal;
  }

  get total(): { readonly charge?: Charge } {
    return this.#charge === undefined ? {} : { charge: this.#charge };
  }

  readonly ask: CompactionHelp['ask'] = async (messages, model = this.#prepared.options.model) => {
    try {
      const response = await callModel(model, { messages, agent: 'compaction' }, { signal: this.signal });
      this.#book(model, tokensOf(response, messages));
      return response.text;
    } catch (error) {
      if (this.signal.aborted) this.#book(model, unanswered(messages));
      throw error;
    }
  };

  #book(model: LanguageModel, tokens: TokenCount): void {
    const charge = this.#prepared.prices.charge(nameOf(model), tokens);
    this.#attempt.charge(charge);
    this.#charge = this.#charge === undefined ? charge : sum(this.#charge, charge);
  }
}

function sum(one: Charge, other: Charge): Charge {
  const costUsd = one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd;
  return {
    inputTokens: (one.inputTokens ?? 0) + (other.inputTokens ?? 0),
    outputTokens: (one.outputTokens ?? 0) + (other.outputTokens ?? 0),
    ...(costUsd !== undefined && { costUsd }),
  };
}
