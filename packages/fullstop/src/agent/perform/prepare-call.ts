import { type LanguageModel, readModel } from '../../models/language-model.js';
import type { ModelMessage } from '../../models/message.js';
import type { ToolChoice } from '../../models/model-request.js';
import { limitsOf } from '../../run/changes/changed-conditions.js';
import { itemsOf } from '../../run/log.js';
import type { StepAttempt } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import { checkOptions, invalidOption } from '../../stop/check-option.js';
import type { ObservedUsage } from '../../stop/observation.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { isObject, type JsonObject } from '../../termination/json.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { AgentState, JournalledDirective, JournalledStep, ToolCallRecord } from '../machine/state.js';
import { problemOf } from '../options/check-agent-input.js';
import { checkCallSettings, checkToolChoice } from '../options/check-settings.js';
import type { CallSettings } from '../options/model-settings.js';
import type { Prepared } from '../options/prepare.js';
import type { PrepareStep, PrepareStepView, StepPreparation } from '../options/prepare-step.js';
import { requirePriceInside } from '../options/usual-limit.js';
import { nameOf } from './charge-call.js';
import { copyJson } from './copy-json.js';
import type { RunFacts } from './run-facts.js';
import { snapshotOf } from './snapshot.js';

/** The differences of one call of the model. */
export interface PreparedCall {
  readonly model: LanguageModel | undefined;
  readonly tools: readonly string[] | undefined;
  readonly toolChoice: ToolChoice | undefined;
  /** The whole conversation of the call, where it is another one. */
  readonly messages: readonly ModelMessage[] | undefined;
  readonly settings: CallSettings | undefined;
  readonly journalled: JournalledStep;
}

interface Preparing {
  readonly prepared: Prepared;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
  readonly facts: RunFacts;
  /** The text that the hook before the call adds to the conversation. */
  readonly injected: ModelMessage | undefined;
}

type Answer = PreparedCall | { readonly directive: JournalledDirective } | undefined;

const builder = 'prepareStep';
const known = ['model', 'activeTools', 'toolChoice', 'instructions', 'messages', 'settings'] as const;

/** Asks `prepareStep` about the next call. One that throws, or returns what means nothing, fails the run as a hook does. */
export function prepareCall(prepareStep: PrepareStep, preparing: Preparing): Answer | Promise<Answer> {
  const view = new StepView(preparing);
  try {
    const given = prepareStep(view);
    // Nothing is waited for that is there already: it would cost every call two turns of the queue.
    if (isPromise(given)) return readLater(given, preparing, view);
    return readPreparation(given, preparing, view);
  } catch (error) {
    return failPreparation(error, preparing);
  }
}

async function readLater(given: PromiseLike<unknown>, preparing: Preparing, view: StepView): Promise<Answer> {
  try {
    return readPreparation((await given) as StepPreparation | undefined, preparing, view);
  } catch (error) {
    return failPreparation(error, preparing);
  }
}

function isPromise(given: unknown): given is PromiseLike<unknown> {
  return typeof given === 'object' && given !== null && 'then' in given && typeof given.then === 'function';
}

function failPreparation(error: unknown, { attempt }: Preparing): Answer {
  // A call that is cancelled has no outcome: it is prepared again when the run is resumed.
  if (attempt.signal.aborted) throw error;
  return { directive: { type: 'fail', hook: builder, error: toErrorData(error) } };
}

function readPreparation(
  given: StepPreparation | undefined | null,
  { prepared, facts }: Preparing,
  view: StepView,
): Answer {
  if (given === undefined || given === null) return undefined;
  const checked = checkOptions(given, builder, known);
  if (isObject(checked.model)) requirePriceInside(checked.model, prepared, facts.budgetUsd);
  if (checked.messages === undefined && checked.instructions === undefined) return choose(checked, prepared);
  const { instructions, messages } = checked;
  if (instructions !== undefined && typeof instructions !== 'string')
    throw invalidOption(instructions, { builder, option: 'instructions' }, 'a text');
  const parts = messages === undefined ? undefined : writeMessages(messages, view.messages);
  const chosen = choose(checked, prepared);
  const said = { ...(instructions !== undefined && { instructions }), ...(parts !== undefined && { messages: parts }) };
  const conversation = conversationOf(parts, instructions, view.conversation);
  return { ...chosen, messages: conversation, journalled: { ...chosen.journalled, ...said } };
}

/** The latest choices of an agent: most steps are prepared like one before, and checking and copying that costs more than all the rest. */
const choices = new WeakMap<Prepared, PreparedCall[]>();
const mostChoices = 8;

/** Checks the choice of a model, of tools and of settings. */
function choose(given: StepPreparation, prepared: Prepared): PreparedCall {
  const known = choices.get(prepared) ?? [];
  for (const each of known) if (isSameChoice(given, each)) return each;
  const { model, activeTools, toolChoice, settings } = given;
  if (model !== undefined) checkModel(model, prepared);
  const tools = activeTools === undefined ? undefined : readTools(activeTools, prepared);
  if (toolChoice !== undefined) checkToolChoice(toolChoice, builder, tools ?? [...prepared.tools.keys()]);
  if (settings !== undefined) checkCallSettings(settings, `${builder}: settings`);
  const chosen: PreparedCall = {
    model,
    tools,
    // Copies: whoever returned them may change them later.
    toolChoice: copyJson(toolChoice),
    messages: undefined,
    settings: copyJson(normalise(settings)) as CallSettings | undefined,
    journalled: copyJson(normalise(journal(given))) as JsonObject as JournalledStep,
  };
  choices.set(prepared, [chosen, ...known.slice(0, mostChoices - 1)]);
  return chosen;
}

function isSameChoice({ model, activeTools, toolChoice, settings }: StepPreparation, known: PreparedCall): boolean {
  return (
    model === known.model &&
    isSame(activeTools, known.tools) &&
    isSame(toolChoice, known.toolChoice) &&
    isSame(settings, known.settings)
  );
}

/** True for values that say the same: what JSON leaves out does not count, and what is neither plain nor finite is never the same. */
function isSame(given: unknown, known: unknown): boolean {
  if (typeof given !== 'object' || given === null || !isObjectOrList(known)) return given === known;
  if (Array.isArray(given) !== Array.isArray(known)) return false;
  for (const key in given) if (!isSame(given[key as never], known[key as never])) return false;
  for (const key in known) if (given[key as never] === undefined) return false;
  return true;
}

function isObjectOrList(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A choice as it is in the journal. */
function journal({ model, activeTools, toolChoice, settings }: StepPreparation): object {
  return {
    ...(model !== undefined && { model: nameOf(model) }),
    ...(activeTools !== undefined && { tools: activeTools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(settings !== undefined && { settings: withoutHeaders(settings) }),
  };
}

function checkModel(model: LanguageModel, { options, prices, stopWhen }: Prepared): void {
  readModel(model);
  const { costUsd: costBudget } = limitsOf(stopWhen);
  prices.requirePrice(nameOf(model), { costBudget, allowUnknown: options.allowUnknownPrices ?? false });
}

function readTools(given: unknown, { tools }: Prepared): readonly string[] {
  const names = [...tools.keys()];
  const place = { builder, option: 'activeTools' };
  if (!Array.isArray(given)) throw invalidOption(given, place, 'a list of names of tools');
  for (const name of given as readonly unknown[]) {
    if (names.includes(name as string)) continue;
    const hint = typeof name === 'string' ? suggestion(name, names) : '';
    throw invalidOption(name, place, `names of tools of the agent: ${names.join(', ') || 'it has none'}${hint}`);
  }
  return [...(given as readonly string[])];
}

/** Credentials are often in headers, and who reads the journal needs no more than their names. */
function withoutHeaders({ headers, ...settings }: CallSettings): object {
  return headers === undefined ? settings : { ...settings, headers: Object.keys(headers) };
}

type WrittenMessages = NonNullable<JournalledStep['messages']>;

/** Messages for the journal: those of the run's conversation by their places, so that a long one is not written for every call. */
function writeMessages(given: readonly ModelMessage[], seen: readonly ModelMessage[]): WrittenMessages {
  const problem = typeof given === 'string' ? 'is a text' : problemOf(given);
  if (problem !== undefined || given.length === 0)
    throw invalidOption(
      given,
      { builder, option: 'messages' },
      'a list of messages { role, content } that is not empty',
    );
  const places = new Map(seen.map((message, place) => [message, place]));
  const parts: (ModelMessage | { from: number; to: number })[] = [];
  for (const message of given) {
    const place = places.get(message);
    const last = parts.at(-1);
    if (place === undefined) parts.push(copyJson(normalise(message)) as unknown as ModelMessage);
    else if (last !== undefined && 'to' in last && last.to === place) last.to += 1;
    else parts.push({ from: place, to: place + 1 });
  }
  return parts;
}

/** The conversation of a call that has its own; the instructions of the run lead it unless it has others. */
function conversationOf(
  parts: WrittenMessages | undefined,
  instructions: string | undefined,
  own: readonly ModelMessage[],
): readonly ModelMessage[] | undefined {
  if (parts === undefined && instructions === undefined) return undefined;
  const messages = parts?.flatMap((part) => ('to' in part ? own.slice(part.from, part.to) : part)) ?? own;
  const [first] = messages;
  const rest = first?.role === 'system' ? messages.slice(1) : messages;
  if (instructions !== undefined)
    return instructions === '' ? rest : [{ role: 'system', content: instructions }, ...rest];
  const [leading] = own;
  return first?.role === 'system' || leading?.role !== 'system' ? messages : [leading, ...messages];
}

/** The view of `prepareStep`. The getters are for what has to be made first, and what not everyone looks at. */
class StepView implements PrepareStepView {
  readonly iteration: number;
  readonly modelCall: number;
  readonly model: LanguageModel;
  readonly costUsd: number | null;
  declare readonly estimated?: boolean;
  readonly #state: AgentState;
  readonly #injected: ModelMessage | undefined;
  #messages: readonly ModelMessage[] | undefined;

  constructor({ prepared, state, injected }: Preparing) {
    const { counts, costUsd, estimated } = state;
    this.iteration = counts.iterations + 1;
    this.modelCall = counts.modelCalls + 1;
    this.model = prepared.models[0] as LanguageModel;
    this.costUsd = costUsd;
    if (estimated) this.estimated = true;
    this.#state = state;
    this.#injected = injected;
  }

  get usage(): ObservedUsage {
    return Object.freeze({ ...this.#state.usage });
  }

  get messages(): readonly ModelMessage[] {
    if (this.#messages !== undefined) return this.#messages;
    const known = snapshotOf(this.#state.messages);
    this.#messages = this.#injected === undefined ? known : Object.freeze([...known, Object.freeze(this.#injected)]);
    return this.#messages;
  }

  get toolCalls(): readonly ToolCallRecord[] {
    return snapshotOf(this.#state.toolCalls);
  }

  /** The same as the messages, but those of the run itself. */
  get conversation(): readonly ModelMessage[] {
    const known = itemsOf(this.#state.messages);
    return this.#injected === undefined ? known : [...known, this.#injected];
  }
}
