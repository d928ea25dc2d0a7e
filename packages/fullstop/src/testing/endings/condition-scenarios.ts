import type { ModelPrice } from '../../run/accounts/price.js';
import type { StopCondition } from '../../stop/condition.js';
import type { BuiltInScenario, MakeScenario, Subject } from './ending-scenario.js';
import { callOf, standInTools, toolNames } from './stand-in-tools.js';

/** The scenarios of the kinds that stop conditions add, each made from the settings of the condition. */
export const conditionScenarios: Readonly<Record<string, MakeScenario>> = {
  tool_called: ({ conditions }) => ({
    answers: [callOf(String(jsonOf(conditions)['tool']))],
    options: { stopWhen: conditions },
  }),
  content_matched: contentScenario,
  max_tool_calls: ({ options, conditions }) => ({
    answers: [{ ...callOf(aTool(options)), toolCalls: manyCalls(aTool(options), limitOf(conditions)) }],
    options: { stopWhen: conditions },
  }),
  token_budget: ({ options, conditions }) => ({
    answers: [callOf(aTool(options), {}, { inputTokens: Number(jsonOf(conditions)['total']), outputTokens: 0 })],
    options: { stopWhen: conditions, settings: {} },
  }),
  cost_budget: ({ options, conditions }) => ({
    answers: [callOf(aTool(options), {}, oneToken)],
    options: { stopWhen: conditions, settings: {}, prices: priceOf(Number(jsonOf(conditions)['usd'])) },
  }),
  budget_pressure: pressureScenario,
  loop_detected: repeating,
  no_progress: repeating,
  stall_detected: ({ options, conditions }) => ({
    answers: [callOf(aTool(options), {}, { inputTokens: 100, outputTokens: 100 })],
    options: { stopWhen: conditions },
  }),
  consecutive_errors: ({ options, conditions }) => ({
    answers: [callOf(aTool(options))],
    options: {
      stopWhen: conditions,
      tools: standInTools(options, () => {
        throw new Error('a tool that fails');
      }),
    },
  }),
  consecutive_mistakes: ({ conditions }) => ({
    answers: [callOf('a_tool_that_does_not_exist')],
    options: { stopWhen: conditions },
  }),
};

const oneToken = { inputTokens: 1, outputTokens: 0 };

function aTool(options: Subject['options']): string {
  return toolNames(options)[0] as string;
}

function jsonOf([condition]: readonly StopCondition<string>[]): Readonly<Record<string, unknown>> {
  return condition?.toJSON() ?? {};
}

function limitOf(conditions: Subject['conditions']): number {
  return Number(jsonOf(conditions)['limit'] ?? 1);
}

function manyCalls(tool: string, count: number) {
  return Array.from({ length: count }, (_, index) => ({ tool, input: { n: index } }));
}

/** The same call with the same result, again and again. */
function repeating({ options, conditions }: Subject): BuiltInScenario {
  return { answers: [callOf(aTool(options))], options: { stopWhen: conditions } };
}

function contentScenario({ options, conditions }: Subject): BuiltInScenario | string {
  const texts = conditions.map((condition) => condition.toJSON()['text']);
  const text = texts.find((each) => typeof each === 'string');
  if (text === undefined) return 'nobody can invent a text for a pattern';
  return { answers: [{ ...callOf(aTool(options)), text: String(text) }], options: { stopWhen: conditions } };
}

/** One token of the scripted model at this price. */
function priceOf(usd: number): Readonly<Record<string, ModelPrice>> {
  return { scripted: { inputPerMillion: usd * 1_000_000, outputPerMillion: 0 } };
}

/** Uses the part of the first budget at which the model is told to wrap up; then the model does. */
function pressureScenario({ options, conditions, stopWhen }: Subject): BuiltInScenario | string {
  const ratio = Number(jsonOf(conditions)['ratio']);
  const budget = stopWhen.find(({ limits }) => (limits?.tokens ?? limits?.costUsd ?? limits?.runMs) !== undefined);
  if (budget === undefined) return 'it has no budget of tokens, money or time that could come under pressure';
  const { tokens, costUsd, runMs } = budget.limits ?? {};
  const around = { stopWhen: [...conditions, budget], settings: {} };
  const last = { text: 'in short', usage: { inputTokens: 0, outputTokens: 0 } };
  const tool = aTool(options);
  if (tokens !== undefined) {
    const usage = { inputTokens: Math.ceil(tokens * ratio), outputTokens: 0 };
    return { answers: [callOf(tool, {}, usage), last], options: around };
  }
  if (costUsd !== undefined) {
    return { answers: [callOf(tool, {}, oneToken), last], options: { ...around, prices: priceOf(costUsd * ratio) } };
  }
  return { answers: [{ ...callOf(tool), delay: `${Math.ceil((runMs ?? 0) * ratio)}ms` }, last], options: around };
}
