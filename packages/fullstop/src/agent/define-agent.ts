import type { Engine } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import { host } from '../engines/port/host.js';
import type { ModelMessage } from '../models/message.js';
import { type DefineRunOptions, defineRun, engineFor, type RunResult } from '../run/define-run.js';
import { drive } from '../run/drive.js';
import { foldJournal } from '../run/fold-journal.js';
import type { BodyResult, End, RunContext } from '../run/run-context.js';
import type { StopCondition } from '../stop/condition.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { checkConditions } from '../stop/resume-conditions.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { JsonValue } from '../termination/json.js';
import type { SchemaOutput, StandardSchema } from '../termination/standard-schema.js';
import type { Agent, AgentResult, AgentResumeOptions } from './agent.js';
import type { AgentInput, AgentOptions, AnyAgentOptions } from './agent-options.js';
import { changesIn, changesToJson, conditionsAfter, limitChange, limitsOf, withChanges } from './changes.js';
import type { Goal } from './goal.js';
import { type AgentEnding, type GoalKinds, type OutputKinds, possibleKinds, type ToolKinds } from './kinds.js';
import { itemsOf } from './log.js';
import { agentMachine, type MachineInput } from './machine.js';
import { rulesOf } from './make-rules.js';
import { agentPerformer } from './performer.js';
import { type Prepared, prepare } from './prepared.js';
import { refuseUnchanged } from './refuse-unchanged.js';
import type { AgentRules } from './rules.js';
import type { AgentState } from './state.js';
import type { ToolSet } from './tool.js';

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
>(
  options: AgentOptions<TKind, TTools, TSchema, TRepair, TGoal, TDefinitions>,
): Agent<
  AgentEnding<TKind | ToolKinds<TTools> | OutputKinds<TSchema, TRepair> | GoalKinds<TGoal>, TDefinitions>,
  AgentOutput<TSchema, TTools>
> {
  return new DefinedAgent(options as unknown as AnyAgentOptions) as unknown as ReturnType<
    typeof defineAgent<TKind, TTools, TSchema, TRepair, TGoal, TDefinitions>
  >;
}

interface Live {
  state: AgentState | undefined;
}

interface Watch {
  readonly runId: string;
  readonly engine: Engine;
  readonly conditions: readonly StopCondition<string>[];
}

type Definition = ReturnType<typeof defineRun<AgentInput, BodyResult, readonly AnyTerminationDefinition[]>>;

class DefinedAgent implements Agent<Ending> {
  readonly name: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly #prepared: Prepared;
  readonly #definition: Definition;
  /** The runs that someone in this process waits for, with their latest state, so that it need not be read back. */
  readonly #live = new Map<string, Live>();
  /** Custom conditions that resumes brought along: the journal has their names only. */
  readonly #custom = new Map<string, StopCondition<string>>();

  constructor(options: AnyAgentOptions) {
    const stopWhen = withUsualLimit(checkConditions(options.stopWhen ?? []));
    this.#prepared = prepare(options, stopWhen);
    checkPrices(this.#prepared, options);
    this.kinds = possibleKinds(options);
    this.#remember(stopWhen);
    this.#definition = defineRun(this.#runOptions(options));
    this.name = this.#definition.name;
    this.version = this.#definition.version;
  }

  #runOptions(options: AnyAgentOptions): DefineRunOptions<AgentInput, BodyResult, readonly AnyTerminationDefinition[]> {
    const { version, terminations, customTags, treatAsSuccess, graceMs, secrets, onEnding } = options;
    return {
      name: this.#prepared.name,
      limits: limitsOf(this.#prepared.stopWhen),
      run: (context, input) => this.#drive(context, input),
      ...(version !== undefined && { version }),
      ...(terminations !== undefined && { terminations }),
      ...(customTags !== undefined && { customTags }),
      ...(treatAsSuccess !== undefined && { treatAsSuccess }),
      ...(graceMs !== undefined && { graceMs }),
      ...(secrets !== undefined && { secrets }),
      ...(onEnding !== undefined && { onEnding }),
    };
  }

  execute: Agent['execute'] = (session, engine) => this.#definition.execute(session, engine);

  abandon: Agent['abandon'] = (session, engine, lastSeen) => this.#definition.abandon(session, engine, lastSeen);

  run: Agent<Ending>['run'] = async (input, options = {}) => {
    const runId = options.runId ?? `r_${host.crypto.randomUUID()}`;
    const engine = engineFor(options);
    const run = (): Promise<RunResult<Ending, unknown>> => this.#definition.run(input, { ...options, runId, engine });
    return this.#watched({ runId, engine, conditions: this.#prepared.stopWhen }, run);
  };

  resume: Agent<Ending>['resume'] = async (runId, options) => {
    const { stopWhen, without, guidance, ...rest } = options as AgentResumeOptions<string>;
    this.#remember(stopWhen ?? []);
    const journal = await options.engine.journal(runId);
    const known = [...this.#custom.values()];
    const before = conditionsAfter(this.#prepared.stopWhen, journal, known);
    const changes = changesToJson({ stopWhen, without, guidance });
    const after = withChanges(before, changesIn({ changes }), known);
    refuseUnchanged({ journal, conditions: after, state: () => this.#fold(journal), runId });
    const resumed = { ...rest, changes, limits: limitChange(after) };
    const watch = { runId, engine: options.engine, conditions: after };
    return this.#watched(watch, () => this.#definition.resume(runId, resumed)) as never;
  };

  result: Agent<Ending>['result'] = async (runId, { engine }) => {
    const result = await this.#definition.result(runId, { engine });
    if (result === undefined) return undefined;
    const journal = await engine.journal(runId);
    const conditions = conditionsAfter(this.#prepared.stopWhen, journal, [...this.#custom.values()]);
    return this.#toResult(result, this.#fold(journal), { runId, engine, conditions });
  };

  within = async (context: RunContext, input: AgentInput): Promise<End<Ending>> => {
    const { rules, machine } = this.#machine(undefined, false);
    const live: Live = { state: undefined };
    const ended = await drive({
      machine: watching(machine, live),
      performer: agentPerformer(this.#prepared, rules),
      context,
      input: this.#input(input, context.now()),
    });
    const { usage, costUsd, text } = live.state as AgentState;
    return { ...ended, output: { output: (ended.output ?? null) as JsonValue, text, usage, costUsd } };
  };

  #remember(conditions: readonly StopCondition<string>[]): void {
    for (const condition of conditions)
      if (condition.evaluateAsync !== undefined) this.#custom.set(condition.name, condition);
  }

  #drive(context: RunContext, input: AgentInput): Promise<End<Ending>> {
    const { rules, machine } = this.#machine(this.#live.get(context.runId));
    return drive({
      machine,
      performer: agentPerformer(this.#prepared, rules),
      context,
      input: this.#input(input, context.now()),
    });
  }

  #machine(
    live: Live | undefined,
    isRoot = true,
  ): { readonly rules: AgentRules; readonly machine: ReturnType<typeof agentMachine> } {
    const rules = rulesOf(this.#prepared, isRoot, () => [...this.#custom.values()]);
    const machine = agentMachine(rules);
    return { rules, machine: live === undefined ? machine : watching(machine, live) };
  }

  #input(input: AgentInput, at: number): MachineInput {
    return { messages: messagesOf(input, this.#prepared.options.instructions), at };
  }

  #fold(journal: Awaited<ReturnType<AgentResult['journal']>>): AgentState {
    const [first] = journal;
    const input = (first?.type === 'run_started' ? first.data.input : '') as AgentInput;
    return foldJournal(this.#machine(undefined).machine, this.#input(input, first?.at ?? 0), journal);
  }

  async #watched(watch: Watch, run: () => Promise<RunResult<Ending, unknown>>): Promise<AgentResult<Ending>> {
    const live: Live = { state: undefined };
    this.#live.set(watch.runId, live);
    try {
      const result = await run();
      return this.#toResult(result, live.state ?? this.#fold(await result.journal()), watch);
    } finally {
      this.#live.delete(watch.runId);
    }
  }

  #toResult(result: RunResult<Ending, unknown>, state: AgentState, { engine, conditions }: Watch): AgentResult<Ending> {
    refuseUndeclared(result, [...this.kinds, ...conditions.flatMap(({ kinds }) => kinds)]);
    return {
      ...result,
      text: state.text,
      messages: itemsOf(state.messages),
      iterations: itemsOf(state.iterations),
      toolCalls: itemsOf(state.toolCalls),
      children: itemsOf(state.children),
      resume: (options = {}) => this.resume(result.runId, { ...options, engine }) as never,
    };
  }
}

/** The same machine, which leaves its latest state where others find it. */
function watching(machine: ReturnType<typeof agentMachine>, live: Live): ReturnType<typeof agentMachine> {
  const keep = (state: AgentState): AgentState => {
    live.state = state;
    return state;
  };
  return {
    ...machine,
    init: (input) => keep(machine.init(input)),
    apply: (state, observation) => keep(machine.apply(state, observation)),
    resume: (state, opening) => keep(machine.resume?.(state, opening) ?? state),
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

function refuseUndeclared(
  { runId, termination }: Pick<Envelope<Ending>, 'runId' | 'termination'>,
  kinds: readonly string[],
): void {
  if (kinds.includes(termination.kind)) return;
  throw new FullstopError(
    'ENDING_NOT_DECLARED',
    `The run ${runId} ended as ${JSON.stringify(termination.kind)}, which these options do not allow; they allow ${[...new Set(kinds)].join(', ')}.`,
  );
}
