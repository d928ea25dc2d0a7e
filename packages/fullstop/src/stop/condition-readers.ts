import type { StopCondition } from './condition.js';
import { budgetPressure } from './conditions/budget-pressure.js';
import { consecutiveErrors } from './conditions/consecutive-errors.js';
import { consecutiveMistakes } from './conditions/consecutive-mistakes.js';
import { type ContentPattern, contentMatch } from './conditions/content-match.js';
import { type CostBudgetOptions, costBudget } from './conditions/cost-budget.js';
import { loopDetection } from './conditions/loop-detection.js';
import { maxIterations } from './conditions/max-iterations.js';
import { maxToolCalls } from './conditions/max-tool-calls.js';
import { noProgress } from './conditions/no-progress.js';
import { stallDetection } from './conditions/stall-detection.js';
import { stopOnTool } from './conditions/stop-on-tool.js';
import { timeout } from './conditions/timeout.js';
import { type TokenBudgetOptions, tokenBudget } from './conditions/token-budget.js';

/** The kinds of all conditions that can be written as JSON. */
export type DeclarativeKind =
  | 'budget_pressure'
  | 'consecutive_errors'
  | 'consecutive_mistakes'
  | 'content_matched'
  | 'cost_budget'
  | 'loop_detected'
  | 'max_iterations'
  | 'max_tool_calls'
  | 'no_progress'
  | 'stall_detected'
  | 'time_budget'
  | 'token_budget'
  | 'tool_called';

/** Reads one type of condition. */
export interface ConditionReader<TKind extends string = DeclarativeKind> {
  readonly fields: readonly string[];
  /** Undefined where the values turn the condition off. Throws what a builder throws. */
  read(fields: Readonly<Record<string, unknown>>): StopCondition<TKind> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

// The builders check what they are given, whatever its type says; so JSON may go to them as it is.
const readers: Readonly<Record<string, ConditionReader>> = {
  maxIterations: reader(['limit', 'unit'], ({ limit, ...options }) => maxIterations(limit as number, options)),
  maxToolCalls: reader(['limit'], ({ limit }) => maxToolCalls(limit as number)),
  timeout: reader(['run', 'iteration', 'model', 'tool'], (fields) => timeout(fields)),
  tokenBudget: reader(['total'], (fields) => tokenBudget(fields as unknown as TokenBudgetOptions)),
  costBudget: reader(['usd'], (fields) => costBudget(fields as unknown as CostBudgetOptions)),
  consecutiveErrors: reader(['limit'], ({ limit }) => consecutiveErrors(limit as number)),
  consecutiveMistakes: reader(['limit'], ({ limit }) => consecutiveMistakes(limit as number)),
  stopOnTool: reader(['tool', 'succeeded'], ({ tool, succeeded }) =>
    stopOnTool(tool as string, succeeded === undefined ? {} : { succeeded: succeeded as boolean }),
  ),
  contentMatch: reader(['text', 'regExp', 'flags'], readContentMatch),
  loopDetection: reader(['repeats', 'window', 'compare'], (fields) => loopDetection(fields)),
  stallDetection: reader(['consecutive', 'tolerance'], (fields) => stallDetection(fields)),
  noProgress: reader(['limit'], ({ limit }) => noProgress(limit as number | undefined)),
  budgetPressure: reader(['ratio'], ({ ratio }) => budgetPressure(ratio as number)),
};

/** The conditions of this library, by the name of their builder. */
export const ownReaders: ReadonlyMap<string, ConditionReader> = new Map(Object.entries(readers));

function reader(fields: readonly string[], read: (fields: Fields) => StopCondition<DeclarativeKind>): ConditionReader {
  return { fields, read };
}

function readContentMatch({ text, ...pattern }: Fields): StopCondition<'content_matched'> {
  if ('regExp' in pattern && text === undefined) return contentMatch(pattern as unknown as ContentPattern);
  // With a text beside them the fields of a pattern are refused: the builder takes one or the other.
  return contentMatch(Object.keys(pattern).length === 0 ? (text as string) : ({ text, ...pattern } as never));
}
