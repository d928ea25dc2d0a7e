import { addCharges } from '../../engines/port/add-charges.js';
import type { Charge } from '../../engines/port/usage.js';
import { answerStatus, isBlank } from '../../models/answer-status.js';
import type { ModelMessage } from '../../models/message.js';
import type { ModelResponse } from '../../models/model-response.js';
import { frozenCopy } from '../../run/frozen.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { isObject } from '../../termination/json.js';
import { modelTime } from '../machine/in-flight.js';
import { repairTranscript } from '../machine/repair-transcript.js';
import type { CompactionOutcome, FailedCall } from '../machine/state.js';
import { problemOf } from '../options/check-agent-input.js';
import { type CompactionHelp, clearToolResults, withPinned } from '../options/compaction.js';
import { askHook } from './ask-hook.js';
import { chargeCall } from './charge-call.js';
import { spentBy } from './iteration-view.js';
import { ModelAttempts, type ModelQuestion, type ModelReply } from './model-attempts.js';
import type { ModelCall } from './perform-model.js';
import { hookView } from './run-facts.js';
import { snapshotOf } from './snapshot.js';

/** A compaction that is to be made. */
export type Compaction = Omit<ModelCall, 'listener'>;

/** Makes the conversation shorter with every strategy in turn. */
export async function performCompaction(compaction: Compaction): Promise<CompactionOutcome> {
  const { prepared, state, attempt, facts } = compaction;
  const strategies = prepared.options.compaction?.strategies ?? [clearToolResults()];
  const account = new Account(compaction);
  const { hooks } = prepared.options;
  const known = snapshotOf(state.messages);
  const place = { iteration: state.counts.iterations + 1, before: known.length, ...spentBy(state) };
  const before = await askHook(
    hooks,
    'beforeCompaction',
    Object.freeze(hookView({ ...place, messages: known }, facts, attempt)),
  );
  if (before.directive !== undefined) return { directive: before.directive };
  if (before.blocked !== undefined) return {};
  let messages = known;
  for (const strategy of strategies) {
    try {
      const given: unknown = await strategy.compact(Object.freeze([...messages]), account);
      messages = withPinned(known, checkMessages(given, strategy.name));
    } catch (error) {
      if (attempt.signal.aborted) throw error;
      const refusal = account.refusalIn(error);
      if (refusal !== undefined) return { ...refusal, ...account.total };
      return { failed: { stage: strategy.name, error: toErrorData(error) }, ...account.total };
    }
  }
  messages = repairTranscript(messages);
  const after = Object.freeze(hookView({ ...place, messages: frozenCopy(messages) }, facts, attempt));
  const { directive, injected } = await askHook(hooks, 'afterCompaction', after);
  return {
    messages,
    ...account.total,
    ...(directive !== undefined && { directive }),
    ...(injected !== undefined && { injected }),
  };
}

/** Refuses a result that is no conversation: the model would be asked nothing, or the next call would fail for a reason that nobody sees. */
function checkMessages(given: unknown, strategy: string): readonly ModelMessage[] {
  const problem = Array.isArray(given) ? problemOf(given) : `is ${found(given)}`;
  if (problem === undefined && (given as readonly unknown[]).length > 0) return given as readonly ModelMessage[];
  throw new FullstopError(
    'INVALID_OPTION',
    `The result of the strategy ${strategy} ${problem ?? 'is an empty list'}; it must be the messages that stay.`,
  );
}

type Refusal = Required<Pick<CompactionOutcome, 'failure' | 'attempts'>>;

/** True for a failure that says something about the provider or the account, or about the conversation; others are mistakes in what the strategy asked. */
function isOfProvider({ type }: FailedCall): boolean {
  return type !== 'invalid_request' && type !== 'aborted' && type !== 'unknown';
}

/** Asks models for the strategies, again where that may help, and adds up what that costs. */
class Account implements CompactionHelp {
  readonly #compaction: Compaction;
  readonly #refusals = new Map<unknown, Refusal>();
  #total: Charge | undefined;

  constructor(compaction: Compaction) {
    this.#compaction = compaction;
  }

  get signal(): CompactionHelp['signal'] {
    return this.#compaction.attempt.signal;
  }

  get total(): { readonly charge?: Charge } {
    return this.#total === undefined ? {} : { charge: this.#total };
  }

  readonly ask: CompactionHelp['ask'] = async (messages, model) => {
    const { prepared, rules, state, attempt: step, memory } = this.#compaction;
    const { models, retry, prices } = prepared;
    const question: ModelQuestion = {
      request: { messages, agent: 'compaction' },
      messages,
      step,
      memory,
      models: model === undefined ? models : [model],
      retry,
      prices,
      settings: undefined,
      time: modelTime(state, rules),
      // The step itself ends with the time of the run.
      deadline: undefined,
      listener: undefined,
    };
    const attempts = new ModelAttempts<ModelReply>(question, (reply) => reply);
    const { response, failure, model: asked, attempts: made } = await attempts.ask();
    for (const charge of attempts.cut ?? []) this.#add(charge);
    if (response !== undefined) this.#add(chargeCall(question, asked, response));
    if (response !== undefined) return textOf(response);
    const refused = failure as FailedCall;
    const { name, message, code, cause, data } = refused.error;
    const error = Object.assign(new Error(message, { cause }), data, { name }, code !== undefined && { code });
    if (isOfProvider(refused)) this.#refusals.set(error, { failure: refused, attempts: made });
    throw error;
  };

  /** The failed call that a strategy passes on, as it is or as the cause of an error of its own. */
  refusalIn(thrown: unknown): Refusal | undefined {
    const seen = new Set<unknown>();
    for (let error = thrown; isObject(error) && !seen.has(error); error = error['cause']) {
      const refusal = this.#refusals.get(error);
      if (refusal !== undefined) return refusal;
      seen.add(error);
    }
    return undefined;
  }

  #add(charge: Charge): void {
    this.#total = this.#total === undefined ? charge : addCharges(this.#total, charge);
  }
}

/** An answer without a text would leave nothing of the conversation. */
function textOf(response: ModelResponse): string {
  if (!isBlank(response) && answerStatus(response) !== 'refused') return response.text;
  const message = `The model returned no text to continue with (${response.rawFinish ?? response.finish}).`;
  throw Object.assign(new Error(message), { name: 'ModelCallError', code: 'NO_ANSWER' });
}
