import type { StopCondition } from '../../stop/condition.js';
import type { JsonObject } from '../../termination/json.js';
import type { ReadTerms } from '../options/permissions.js';

/** The options of an agent as far as its decisions depend on them: data, and which callbacks there are. */
export interface AgentRules {
  readonly name: string;
  /** The conditions of the first segment, and those of each later one that was taken up. */
  readonly conditions: readonly (readonly StopCondition<string>[])[];
  /** Takes up what a resume changes; called once for each later segment, in order. */
  changeWith(resumed: number, options: JsonObject): { readonly guidance?: string };
  readonly tools: ReadonlyMap<string, ToolRule>;
  readonly concurrency: number | undefined;
  readonly goal: 'iteration' | 'tool_rounds' | 'tool_call' | undefined;
  /** Undefined when there is no output schema. */
  readonly repair: number | false | undefined;
  readonly output: OutputRules;
  readonly wrapUp: string;
  /** How many rounds an iteration may have. */
  readonly roundsPerIteration: number;
  /** The system message of prompts that are written anew for each iteration; undefined when there are none. */
  readonly freshPrompt: { readonly instructions: string | undefined } | undefined;
  /** The path of the unit, empty for the run itself: the ids of its requests begin with it. */
  readonly scope: string;
  /** The size of a prompt from which on it is compacted; infinite when only an overflow counts, undefined without compaction. */
  readonly compactAt: number | undefined;
  readonly hooks: {
    readonly onPrompt: boolean;
    readonly beforeIteration: boolean;
    readonly afterIteration: boolean;
    readonly onEnd: boolean;
  };
}

/** What holds for the length of answers. */
export interface OutputRules {
  readonly cap: number | undefined;
  /** How many times as much the model gets when it used up the cap without an answer; undefined for no second try. */
  readonly raiseBy: number | undefined;
  /** The window of the model in tokens, where it is known. */
  readonly window: number | undefined;
  /** What a token of output costs, where it is known. */
  readonly usdPerToken: number | undefined;
}

export interface ToolRule {
  /** True when a person may have to agree. */
  readonly gated: boolean;
  /** At most once after approval. */
  readonly once: boolean;
  /** True for an agent inside this one. */
  readonly unit: boolean;
  /** Why it may not be called, if so. */
  readonly denied: string | undefined;
  readonly approval: ReadTerms;
  /** How results are waited for that come from outside; undefined for a tool that the run performs. */
  readonly client: ReadTerms | undefined;
  /** True when a schema, a hook or the tool itself has a word about results that do not come from a step. */
  readonly judged: boolean;
  readonly timeoutMs: number | undefined;
}

/** The conditions that hold in the segment at hand. */
export function conditionsOf(
  rules: AgentRules,
  { resumed }: { readonly resumed: number },
): readonly StopCondition<string>[] {
  return rules.conditions[Math.min(resumed, rules.conditions.length - 1)] ?? [];
}

/** True when the user's code has to be asked at the end of an iteration. */
export function hasCustomConditions(rules: AgentRules, state: { readonly resumed: number }): boolean {
  for (const { evaluateAsync } of conditionsOf(rules, state)) if (evaluateAsync !== undefined) return true;
  return false;
}
