import type { StopCondition } from '../stop/condition.js';
import type { JsonObject } from '../termination/json.js';

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
  readonly maxOutputTokens: number | undefined;
  readonly wrapUp: string;
  /** The size of a prompt from which on it is compacted; infinite when only an overflow counts, undefined without compaction. */
  readonly compactAt: number | undefined;
  readonly hooks: { readonly beforeIteration: boolean; readonly afterIteration: boolean; readonly onEnd: boolean };
}

export interface ToolRule {
  /** True when a person may have to agree. */
  readonly gated: boolean;
  /** At most once after approval. */
  readonly once: boolean;
  /** True for an agent inside this one. */
  readonly unit: boolean;
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
