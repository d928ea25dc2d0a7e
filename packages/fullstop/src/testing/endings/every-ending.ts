import type { Agent, AgentResult } from '../../agent/agent.js';
import { defineAgent } from '../../agent/define-agent.js';
import { possibleKinds } from '../../agent/kinds.js';
import type { AgentOptions, AnyAgentOptions } from '../../agent/options/agent-options.js';
import { definedOptions } from '../../agent/options/defined-options.js';
import { readSchema } from '../../agent/tools/schema.js';
import type { StopCondition } from '../../stop/condition.js';
import { stopCondition } from '../../stop/conditions/stop-condition.js';
import { found } from '../../termination/check.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { addedScenarios } from './added-scenarios.js';
import { baseScenarios } from './base-scenarios.js';
import { conditionScenarios } from './condition-scenarios.js';
import type { BuiltInScenario, EndingScenario, MakeScenario, Subject } from './ending-scenario.js';
import { performOwnScenario, performScenario } from './perform-scenario.js';
import { sampleJson } from './sample-json.js';
import { callOf, toolNames } from './stand-in-tools.js';

/** One ending that an agent can have, and the run that ends so. */
export interface EndingCase<TEnding extends Ending = AnyTermination, TOutput = unknown> {
  readonly kind: string;
  /** Runs the agent until it ends with this kind; rejects if it ends in any other way. Each call is a new run. */
  run(): Promise<AgentResult<TEnding, TOutput>>;
}

/** An ending that nobody but the author of the agent can bring about. */
export interface UndrivenEnding {
  readonly kind: string;
  readonly reason: string;
}

/** Every ending that an agent can have. */
export interface EveryEnding<TEnding extends Ending = AnyTermination, TOutput = unknown> {
  readonly cases: readonly EndingCase<TEnding, TOutput>[];
  /** Kinds that need a scenario of one's own, with the reason. */
  readonly undriven: readonly UndrivenEnding[];
}

/** Options of `everyEnding`. */
export interface EveryEndingOptions {
  /** By kind: an ending that the run is to have, or a scenario with the agent's own code. */
  readonly scenarios?: Readonly<Record<string, EndingScenario | Ending>>;
  /** A value that fits the output schema; made from the schema unless given. */
  readonly output?: JsonValue;
}

const scenarios: Readonly<Record<string, MakeScenario>> = {
  ...baseScenarios,
  ...addedScenarios,
  ...conditionScenarios,
};

/**
 * Drives an agent through each ending that it can have, so that an application can test all arms of its `match`. Each case
 * is a real run with a scripted model on a simulated clock; no tool, hook, goal or condition of the agent's own is executed.
 *
 * @example
 * for (const { kind, run } of everyEnding(agent).cases) test(kind, async () => handle(await run()));
 */
export function everyEnding<TEnding extends Ending, TOutput>(
  agent: Agent<TEnding, TOutput>,
  options?: EveryEndingOptions,
): EveryEnding<TEnding, TOutput>;
export function everyEnding(agent: AnyAgentOptions, options?: EveryEndingOptions): EveryEnding;
export function everyEnding(given: object, { scenarios: own = {}, output }: EveryEndingOptions = {}): EveryEnding {
  const options = definedOptions(given) ?? readOptions(given);
  const { stopWhen } = defineAgent(options as AgentOptions);
  const kinds = possibleKinds(options);
  refuseUnknown(Object.keys(own), kinds);
  const cases: EndingCase[] = [];
  const undriven: UndrivenEnding[] = [];
  for (const kind of kinds) {
    const conditions = stopWhen.filter((condition) => condition.kinds.includes(kind));
    const subject: Subject = { options, conditions, stopWhen, output: sampleOutput(options, output) };
    const made = own[kind] === undefined ? makeScenario(kind, subject) : ownScenario(own[kind], kind, options);
    if (typeof made === 'string') undriven.push({ kind, reason: made });
    else cases.push({ kind, run: async () => checkedKind(await made(), kind) as AgentResult });
  }
  return { cases, undriven };
}

type Perform = () => Promise<AgentResult<Ending>>;

function makeScenario(kind: string, subject: Subject): Perform | string {
  const make = scenarios[kind];
  if (make === undefined) return 'only the code of the agent knows when it ends so';
  const made = make(subject);
  if (typeof made === 'string') return made;
  return () => performScenario(subject, made);
}

function ownScenario(given: EndingScenario | Ending, kind: string, options: AnyAgentOptions): Perform {
  if ('answers' in given) return () => performOwnScenario(options, given);
  if (given.kind !== kind) {
    throw new FullstopError(
      'INVALID_OPTION',
      `everyEnding: the scenario of ${kind} is an ending of kind ${given.kind}; it must be an ending of kind ${kind}, or { answers }.`,
    );
  }
  const stopWhen: readonly StopCondition<string>[] = [stopCondition('scenario', () => given, [kind])];
  const scenario: BuiltInScenario = { answers: [callOf(toolNames(options)[0] as string)], options: { stopWhen } };
  return () => performScenario({ options, conditions: stopWhen, stopWhen }, scenario);
}

function sampleOutput({ output }: AnyAgentOptions, given: JsonValue | undefined): JsonValue | undefined {
  if (output === undefined || given !== undefined) return given;
  const schema = readSchema(output, 'The output schema').jsonSchema();
  return schema === undefined || 'then' in schema ? {} : sampleJson(schema);
}

function checkedKind(result: AgentResult<Ending>, kind: string): AgentResult<Ending> {
  if (result.termination.kind === kind) return result;
  const hint =
    kind === 'natural_end' ? 'Give everyEnding an output that fits the schema' : 'Give it a scenario of its own';
  throw new FullstopError(
    'INVALID_OPTION',
    `everyEnding: the scenario of ${kind} ended as ${result.termination.kind} instead. ${result.summary} ${hint}.`,
  );
}

function readOptions(given: unknown): AnyAgentOptions {
  if (isObject(given) && 'model' in given && typeof given['run'] !== 'function') return given as never;
  throw new FullstopError(
    'INVALID_OPTION',
    `everyEnding was given ${found(given)}; it needs an agent that defineAgent made, or the options for one.`,
  );
}

function refuseUnknown(given: readonly string[], kinds: readonly string[]): void {
  const unknown = given.find((kind) => !kinds.includes(kind));
  if (unknown === undefined) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `everyEnding: there is a scenario for ${JSON.stringify(unknown)}, but the agent can end with ${kinds.join(', ')} only.`,
  );
}
