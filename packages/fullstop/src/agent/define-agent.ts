import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { ModelMessage } from '../models/message.js';
import { isStructuredAnswer } from '../models/scripted/structured-answer.js';
import { carriedOptions } from '../run/carried-options.js';
import type { AnswerRules } from '../run/changes/refuse-same-answer.js';
import { checkChanges, readChanges, writeChanges } from '../run/changes/resume-changes.js';
import { checkRunOptions, engineToResume, resumeOptions, startOptions } from '../run/check-run-options.js';
import { defineRun, type RunResult } from '../run/define-run.js';
import { placeOfStart, type RunPlace, refuseUndeclared, startOfJournal } from '../run/defined-body.js';
import { itemsOf } from '../run/log.js';
import { keepLatest, type LiveRun, LiveRuns } from '../run/machine/live-runs.js';
import type { BodyResult, RunContext, RunEnd } from '../run/run-context.js';
import type { DefineRunOptions } from '../run/run-options.js';
import { joinSecrets } from '../run/secrets/join-secrets.js';
import type { Secrets } from '../run/secrets/secrets.js';
import type { StopCondition } from '../stop/condition.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { refuseIdleConditions } from '../stop/refuse-idle-conditions.js';
import { checkConditions } from '../stop/resume-conditions.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { JsonValue } from '../termination/json.js';
import type { SchemaOutput, StandardSchema } from '../termination/standard-schema.js';
import type { Agent, AgentResult, AgentResumeOptions, AgentRunOptions } from './agent.js';
import {
  type AgentEnding,
  type GoalKinds,
  type OutputKinds,
  type PermissionKinds,
  possibleKinds,
  type ToolKinds,
} from './kinds.js';
import { type Loop, loadLoop } from './load-loop.js';
import type { MachineInput } from './machine/machine.js';
import type { AgentRules } from './machine/rules.js';
import type { AgentState } from './machine/state.js';
import type { AgentInput, AgentOptions, AnyAgentOptions } from './options/agent-options.js';
import {
  answerRulesAfter,
  changeAnswerRules,
  changeConditions,
  conditionsAfter,
  limitChange,
  limitsOf,
} from './options/changes.js';
import { checkAgentInput, isAgentInput } from './options/check-agent-input.js';
import { checkAgentOptions } from './options/check-agent-options.js';
import type { Goal } from './options/goal.js';
import { type Place, usualRepairs } from './options/make-rules.js';
import type { AgentPermissions } from './options/permissions.js';
import { type Prepared, prepare } from './options/prepare.js';
import { failureOf } from './perform/failure-of.js';
import { announcedRun } from './stream/announced-run.js';
import { listenToDeltas } from './stream/deltas.js';
import { followStarted, followStored } from './stream/follow-run.js';
import { announceChange } from './stream/live-channel.js';
import type { JournalReader } from './stream/ui-projection.js';
import type { ToolSet } from './tools/tool.js';
import { runsInside, secretsOfUnit, type UnitDetails } from './tools/unit-tool.js';

/** The output of an agent: what fits its schema, what was submitted, else text. */
export type AgentOutput<TSchema, TTools extends ToolSet> =
  | ([TSchema] extends [StandardSchema] ? SchemaOutput<TSchema> : string)
  | ('submitted' extends ToolKinds<TTools> ? JsonValue : never);

const usualIterations = 50;

/**
 * Defines an agent: a model in a loop with tools, whose every run ends with exactly one of the kinds that these options
 * allow.
 *
 * @example
 * const agent = defineAgent({ name: 'researcher', model, tools: { search }, stopWhen: [maxIterations(20)] });
 * const { termination } = await agent.run('Find the three cheapest suppliers');
 */
export function defineAgent<
  TKind extends string = never,
  TTools extends ToolSet = Record<never, never>,
  TSchema extends StandardSchema | undefined = undefined,
  const TRepair extends number | false = number,
  TGoal extends Goal | undefined = undefined,
  const TDefinitions extends readonly AnyTerminationDefinition[] = [],
  const TPermissions extends AgentPermissions | undefined = undefined,
>(
  options: AgentOptions<TKind, TTools, TSchema, TRepair, TGoal, TDefinitions, TPermissions>,
): Agent<
  AgentEnding<
    TKind | ToolKinds<TTools> | OutputKinds<TSchema, TRepair> | GoalKinds<TGoal> | PermissionKinds<TPermissions>,
    TDefinitions
  >,
  AgentOutput<TSchema, TTools>
> {
  return new DefinedAgent(options as unknown as AnyAgentOptions) as unknown as ReturnType<
    typeof defineAgent<TKind, TTools, TSchema, TRepair, TGoal, TDefinitions, TPermissions>
  >;
}

/** How a run inside another one ended, with the state it ended in. */
interface Inside {
  readonly ended: RunEnd<Ending>;
  readonly state: AgentState;
}

/** The state and the journal of a run, as far as they are known. */
interface Found {
  readonly loop: Loop;
  readonly state: AgentState;
  readonly journal: Awaited<ReturnType<AgentResult['journal']>>;
}

interface Driving {
  readonly live: LiveRun<AgentState> | undefined;
  readonly isRoot: boolean;
  readonly timeMs?: number | undefined;
}

interface Watch extends RunPlace {
  readonly conditions: readonly StopCondition<string>[];
  readonly onDelta?: AgentRunOptions['onDelta'] | undefined;
}

type Definition = ReturnType<typeof defineRun<AgentInput, BodyResult, readonly AnyTerminationDefinition[]>>;

class DefinedAgent implements Agent<Ending> {
  readonly name: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly stopWhen: readonly StopCondition<string>[];
  readonly answers: AnswerRules;
  readonly terminations: readonly AnyTerminationDefinition[];
  readonly secrets?: Secrets;
  readonly #prepared: Prepared;
  readonly #definition: Definition;
  readonly #live = new LiveRuns<LiveRun<AgentState>>();
  /** Custom conditions that resumes brought along: the journal has their names only. */
  readonly #custom = new Map<string, StopCondition<string>>();

  constructor(options: AnyAgentOptions) {
    checkAgentOptions(options);
    const stopWhen = withUsualLimit(checkConditions(options.stopWhen === undefined ? [] : options.stopWhen));
    const secrets = joinSecrets(options.secrets, ...Object.values(options.tools ?? {}).map(secretsOfUnit));
    if (secrets !== undefined) this.secrets = secrets;
    this.#prepared = prepare(secrets === undefined ? options : { ...options, secrets }, stopWhen);
    refuseIdleConditions(stopWhen, [...this.#prepared.tools.keys()]);
    checkPrices(this.#prepared, options);
    this.kinds = possibleKinds(options);
    this.stopWhen = this.#prepared.stopWhen;
    this.answers = {
      cap: options.settings?.maxOutputTokens,
      repair: options.output === undefined ? undefined : (options.repair ?? usualRepairs),
    };
    this.terminations = options.terminations ?? [];
    this.#remember(stopWhen);
    this.#definition = defineRun(this.#runOptions(options));
    this.name = this.#definition.name;
    this.version = this.#definition.version;
    runsInside(this, async (context, input, timeMs) => {
      const { ended, state } = await this.#inside(context, input, timeMs);
      const { usage, costUsd, estimated, text } = state;
      const failure = failureOf(ended.termination, options);
      const output = (ended.output ?? null) as JsonValue;
      const said = itemsOf(state.messages).at(-1);
      const structured =
        said?.role === 'assistant' && typeof said.content !== 'string' && isStructuredAnswer(said.content);
      const details: UnitDetails = {
        output,
        text,
        ...(structured && { structured }),
        usage,
        costUsd,
        ...(estimated && { estimated }),
        ...(failure !== undefined && { failure }),
      };
      return { ...ended, output: details };
    });
  }

  #runOptions(options: AnyAgentOptions): DefineRunOptions<AgentInput, BodyResult, readonly AnyTerminationDefinition[]> {
    const { terminations } = options;
    return {
      ...carriedOptions(options),
      ...(this.secrets !== undefined && { secrets: this.secrets }),
      name: this.#prepared.name,
      limits: limitsOf(this.#prepared.stopWhen),
      run: (context, input) => {
        const live = this.#live.get(context.runId) ?? announcedRun(context.runId);
        return this.#drive(context, input, { live, isRoot: true });
      },
      ...(terminations !== undefined && { terminations }),
    };
  }

  execute: Agent['execute'] = (session, engine) => this.#definition.execute(session, engine);

  abandon: Agent['abandon'] = (session, engine, lastSeen) => this.#definition.abandon(session, engine, lastSeen);

  run: Agent<Ending>['run'] = (input, options = {}) => this.#run(input, options);

  stream: Agent<Ending>['stream'] = (input, options = {}) => {
    const place = placeOfStart(options);
    return followStarted({
      ...place,
      reader: this.#reader(),
      start: (onStart) => this.#run(input, { ...options, ...place, onStart: inTurn(onStart, options.onStart) }),
    });
  };

  async #run(input: AgentInput, options: AgentRunOptions): Promise<AgentResult<Ending>> {
    checkAgentInput(input, this.name);
    checkRunOptions(options, `The start of ${this.name}`, [...startOptions, 'onDelta']);
    const { onDelta, ...rest } = options;
    const place = placeOfStart(options);
    const watch = { ...place, conditions: this.#prepared.stopWhen, onDelta };
    return this.#watch(watch, () => this.#definition.run(input, { ...rest, ...place }));
  }

  resume: Agent<Ending>['resume'] = (runId, options) => this.#resume(runId, options) as never;

  resumeStream: Agent<Ending>['resumeStream'] = (runId, options) =>
    followStarted({
      runId,
      engine: options.engine,
      reader: this.#reader(),
      isResumed: true,
      start: (onStart) => this.#resume(runId, options, onStart),
    }) as never;

  follow: Agent<Ending>['follow'] = (runId, options) =>
    followStored({ runId, options, reader: this.#reader(), result: () => this.result(runId, options) });

  async #resume(
    runId: string,
    options: AgentResumeOptions<string>,
    onStart?: () => void,
  ): Promise<AgentResult<Ending>> {
    const engine = engineToResume(options, `The resume of ${this.name}`);
    const { stopWhen, without, guidance, settings, repair, onDelta, ...rest } = options;
    const own = Object.keys({ stopWhen, without, guidance, settings, repair, onDelta });
    checkRunOptions(options, `The resume of ${this.name}`, [...own, ...resumeOptions]);
    checkChanges(options);
    this.#remember(stopWhen ?? []);
    const known = [...this.#custom.values()];
    const openings = await engine.journal(runId, { types: ['segment_opened'] });
    const before = conditionsAfter(this.#prepared.stopWhen, openings, known);
    const changes = writeChanges(options, options.by);
    const after = changeConditions(before, readChanges({ changes }, ''), known);
    refuseIdleConditions(after, [...this.#prepared.tools.keys()]);
    const loop = await loadLoop();
    const fold = (journal: readonly JournalEntry[]): AgentState => this.#fold(loop, journal);
    const answers = changeAnswerRules(answerRulesAfter(this.answers, openings), readChanges({ changes }, ''));
    await loop.refuseUnchanged({ engine, runId, conditions: after, answers, isGuided: guidance !== undefined, fold });
    const resumed = { ...rest, changes, limits: limitChange(after), ...(onStart !== undefined && { onStart }) };
    const watch = { runId, engine, conditions: after, onDelta };
    return this.#watch(watch, () => this.#definition.resume(runId, resumed));
  }

  result: Agent<Ending>['result'] = async (runId, { engine }) => {
    const result = await this.#definition.result(runId, { engine });
    if (result === undefined) return undefined;
    const journal = await engine.journal(runId);
    const conditions = conditionsAfter(this.#prepared.stopWhen, journal, [...this.#custom.values()]);
    const loop = await loadLoop();
    return this.#toResult(result, { loop, state: this.#fold(loop, journal), journal }, { runId, engine, conditions });
  };

  within: Agent<Ending>['within'] = async (context, input) => {
    const { ended, state } = await this.#inside(context, input);
    const loop = await loadLoop();
    const { text } = state;
    const details = (): object => ({
      text,
      messages: itemsOf(state.messages),
      iterations: loop.iterationRecords(state),
      toolCalls: itemsOf(state.toolCalls),
    });
    return { ...ended, details } as RunEnd<Ending>;
  };

  async #inside(context: RunContext, input: AgentInput, timeMs?: number): Promise<Inside> {
    const live: LiveRun<AgentState> = { state: undefined };
    const ended = await this.#drive(context, input, { live, isRoot: false, timeMs });
    return { ended, state: live.state as AgentState };
  }

  #remember(conditions: readonly StopCondition<string>[]): void {
    for (const condition of conditions)
      if (condition.evaluateAsync !== undefined) this.#custom.set(condition.name, condition);
  }

  async #drive(context: RunContext, given: AgentInput, { live, isRoot, timeMs }: Driving): Promise<RunEnd<Ending>> {
    checkAgentInput(given, this.name);
    const loop = await loadLoop();
    const rules = this.#rules(loop, { scope: context.scope, isRoot, timeMs });
    const machine = loop.agentMachine(rules);
    const input = this.#input(given, context.now());
    return loop.drive({
      machine: keepLatest(machine, live),
      performer: loop.agentPerformer({ prepared: this.#prepared, rules, input: input.messages, context }),
      context,
      input,
    });
  }

  #rules({ rulesOf }: Loop, place: Omit<Place, 'custom'>): AgentRules {
    return rulesOf(this.#prepared, { ...place, custom: () => [...this.#custom.values()] });
  }

  #input(input: AgentInput, at: number): MachineInput {
    const messages = messagesOf(input, this.#prepared.options.instructions);
    // Instructions come from the options, which nobody has sealed.
    return { messages: this.secrets?.seal(messages) ?? messages, at };
  }

  #fold(loop: Loop, journal: readonly JournalEntry[], live?: LiveRun<AgentState>): AgentState {
    const { input: stored, at } = startOfJournal(journal);
    // A run that was started without this agent may hold anything; it has its ending all the same.
    const input = isAgentInput(stored) ? stored : '';
    const machine = loop.agentMachine(this.#rules(loop, { scope: '', isRoot: true }));
    return loop.foldJournal(keepLatest(machine, live), this.#input(input, at), journal);
  }

  async #reader(): Promise<JournalReader> {
    const loop = await loadLoop();
    return {
      fold: (journal, onState) => this.#fold(loop, journal, { state: undefined, onState }),
      callRecords: loop.callRecords,
    };
  }

  /** The run has its ending, whatever its journal holds: one that makes no sense to these options leaves the rest empty. */
  async #foldOrBegin(loop: Loop, { journal }: Pick<RunResult<Ending, unknown>, 'journal'>): Promise<AgentState> {
    try {
      return this.#fold(loop, await journal());
    } catch {
      return this.#fold(loop, []);
    }
  }

  async #watch(watch: Watch, run: () => Promise<RunResult<Ending, unknown>>): Promise<AgentResult<Ending>> {
    const { runId, onDelta } = watch;
    const live = announcedRun(runId);
    const stop = onDelta === undefined ? undefined : listenToDeltas(runId, onDelta);
    try {
      const result = await this.#live.during(runId, live, run);
      const loop = await loadLoop();
      const state = live.state ?? (await this.#foldOrBegin(loop, result));
      const journal = loop.needsJournal(state) ? await result.journal() : [];
      return this.#toResult(result, { loop, state, journal }, watch);
    } finally {
      stop?.();
      announceChange(runId);
    }
  }

  #toResult(
    result: RunResult<Ending, unknown>,
    { loop, state, journal }: Found,
    { engine, conditions }: Watch,
  ): AgentResult<Ending> {
    refuseUndeclared(result, [...this.kinds, ...conditions.flatMap(({ kinds }) => kinds)]);
    return {
      ...result,
      text: state.text,
      messages: itemsOf(state.messages),
      iterations: loop.iterationRecords(state),
      ...loop.callRecords(state, journal),
      resume: (options = {}) => this.resume(result.runId, { ...options, engine }) as never,
    };
  }
}

function inTurn(first: () => void, second: (() => void) | undefined): () => void {
  return () => {
    first();
    second?.();
  };
}

function withUsualLimit(conditions: readonly StopCondition<string>[]): readonly StopCondition<string>[] {
  const limited = conditions.some((condition) => condition.toJSON()['type'] === 'maxIterations');
  return limited ? conditions : [...conditions, maxIterations(usualIterations)];
}

function checkPrices(
  { prices, models }: Prepared,
  { stopWhen = [], allowUnknownPrices = false }: AnyAgentOptions,
): void {
  const { costUsd: costBudget } = limitsOf(stopWhen);
  for (const { provider, modelId } of models) {
    prices.requirePrice(`${provider}/${modelId}`, { costBudget, allowUnknown: allowUnknownPrices });
  }
}

function messagesOf(input: AgentInput, instructions: string | undefined): readonly ModelMessage[] {
  const given: readonly ModelMessage[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return instructions === undefined ? given : [{ role: 'system', content: instructions }, ...given];
}
