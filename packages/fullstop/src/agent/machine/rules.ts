import type { OnExpiry } from '../../engines/port/request.js';
import type { AnswerRules } from '../../run/changes/refuse-same-answer.js';
import type { InFlightLimits, StopCondition } from '../../stop/condition.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonObject } from '../../termination/json.js';

/** The options of an agent as far as its decisions depend on them: data, and which callbacks there are. */
export interface AgentRules {
  readonly name: string;
  /** The conditions of the first segment, and those of each later one. */
  readonly conditions: readonly SegmentConditions[];
  /** Applies the changes of a resume; called once for each later segment, in order. */
  changeWith(resumed: number, options: JsonObject): { readonly guidance?: string; readonly cap?: number };
  readonly tools: ReadonlyMap<string, ToolRule>;
  /** True when one of them hands the conversation over. */
  readonly handsOff: boolean;
  readonly concurrency: number | undefined;
  readonly goal: 'iteration' | 'tool_rounds' | 'tool_call' | undefined;
  readonly output: OutputRules;
  readonly wrapUp: string;
  /** How many rounds an iteration may have. */
  readonly roundsPerIteration: number;
  /** The system message of prompts that are written anew for each iteration; undefined when there are none. */
  readonly freshPrompt: { readonly instructions: string | undefined } | undefined;
  /** The path of the unit, empty for the run itself: the ids of its requests begin with it. */
  readonly scope: string;
  /** The size from which on a prompt is compacted; infinite when only an overflow counts, undefined without compaction. */
  readonly compactAt: number | undefined;
  /** The journal beyond the point that the fold has reached; undefined for rules that fold nothing. */
  readonly past?: AgentPast | undefined;
  readonly hooks: {
    readonly onPrompt: boolean;
    readonly beforeIteration: boolean;
    readonly afterIteration: boolean;
    readonly onEnd: boolean;
  };
}

/** How the run continued, as its journal says: it stands, whatever the options of today would lead to. */
export interface AgentPast {
  /** True where the run has not come any further. */
  isOver(): boolean;
  /** The observation of this number; undefined where the run has not come that far. */
  observed(index: number): JsonObject | undefined;
  /** The keys of the operations before the next call of the model; `isOver` when there is such a call. */
  keysBeforeModel(modelCalls: number): { readonly keys: ReadonlySet<string>; readonly isOver: boolean };
  /** How the segment ended that a later one has continued. */
  ending(): Ending | undefined;
}

/** The stop conditions of one segment, with what the loop reads from them again and again. */
export interface SegmentConditions extends AnswerRules {
  readonly list: readonly StopCondition<string>[];
  /** The tightest limits that hold while a call is in flight. */
  readonly limits: InFlightLimits;
  /** True when one of them is user code that has to be asked at the end of an iteration. */
  readonly hasCustom: boolean;
  /** True when one of them is a goal that waits for its round. */
  readonly waits: boolean;
  /** True when one of them shows results as evidence. */
  readonly showsResults: boolean;
}

/** The rules for the length of answers. */
export interface OutputRules {
  /** How many times as much the model gets when it used up the cap without an answer; undefined for no second try. */
  readonly raiseBy: number | undefined;
  /** The window of the model in tokens, where it is known. */
  readonly window: number | undefined;
  /** The price of a token of output, where it is known. */
  readonly usdPerToken: number | undefined;
}

export interface ToolRule {
  /** True when a person may have to agree. */
  readonly gated: boolean;
  /** At most once after approval. */
  readonly once: boolean;
  /** True for an agent inside this one. */
  readonly unit: boolean;
  /** True for one that takes the conversation over: its ending is the ending of this agent. */
  readonly handsOff: boolean;
  /** The reason why it may not be called, if so. */
  readonly denied: string | undefined;
  readonly approval: RequestTerms;
  /** The terms of waiting for results from outside; undefined for a tool that the run performs. */
  readonly client: RequestTerms | undefined;
  /** True when a schema, a hook or the tool itself checks or changes results that do not come from a step. */
  readonly judged: boolean;
  readonly timeoutMs: number | undefined;
}

/** By when a request has to be answered and what happens if it is not, with times in milliseconds. */
export interface RequestTerms {
  readonly deadlineMs?: number;
  readonly onExpiry?: OnExpiry;
  readonly escalation?: { readonly to: string; readonly deadlineMs?: number };
}

/** Reads from a list of conditions what the loop needs at every turn. */
export function segmentConditions(
  list: readonly StopCondition<string>[],
  { cap, repair }: AnswerRules,
): SegmentConditions {
  const limits: Record<string, number> = {};
  for (const condition of list) {
    for (const [name, value] of Object.entries(condition.limits ?? {}) as readonly (readonly [string, number])[]) {
      limits[name] = Math.min(limits[name] ?? Number.POSITIVE_INFINITY, value);
    }
  }
  const hasCustom = list.some(({ evaluateAsync }) => evaluateAsync !== undefined);
  const showsResults = list.some((condition) => condition.showsResults === true);
  const waits = list.some(({ fold }) => fold.reached !== undefined);
  return { list, limits, hasCustom, waits, showsResults, cap, repair };
}

/** The conditions that hold in the segment at hand. */
export function conditionsOf({ conditions }: AgentRules, { resumed }: { readonly resumed: number }): SegmentConditions {
  return conditions[Math.min(resumed, conditions.length - 1)] as SegmentConditions;
}
