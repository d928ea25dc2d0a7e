import type { AgentRunOptions } from '../../agent/agent.js';
import type { AgentInput, AnyAgentOptions } from '../../agent/options/agent-options.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import type { ScriptedAnswers } from '../../models/scripted/scripted-model.js';
import type { StopCondition } from '../../stop/condition.js';
import type { JsonValue } from '../../termination/json.js';

/** A scenario of one's own for a kind: the agent as it is, tools, hooks and conditions included, with a scripted model. */
export interface EndingScenario {
  readonly answers: ScriptedAnswers;
  /** Options that replace those of the agent in this scenario. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** `go` unless given. */
  readonly input?: AgentInput;
  readonly run?: AgentRunOptions;
}

/** The agent that is driven, as far as scenarios have to know it. */
export interface Subject {
  readonly options: AnyAgentOptions;
  /** The conditions that can end it with the kind at hand. */
  readonly conditions: readonly StopCondition<string>[];
  /** The conditions of its definition, all of them. */
  readonly stopWhen: readonly StopCondition<string>[];
  /** A value that fits the output schema; undefined without a schema. */
  readonly output?: JsonValue | undefined;
}

/** How a scenario is performed: run, aborted at the first call, left behind by its process, or waited for beyond a deadline. */
export type Performance = 'run' | 'abort' | 'abandon' | 'outwait';

/** A built-in scenario. Nothing of the agent's own code is executed in it. */
export interface BuiltInScenario {
  /** The last one is repeated. */
  readonly answers: readonly ScriptAnswer[];
  readonly options?: Partial<AnyAgentOptions>;
  readonly performance?: Performance;
}

/** Makes the scenario of a kind, or says why there is none for this agent. */
export type MakeScenario = (subject: Subject) => BuiltInScenario | string;
