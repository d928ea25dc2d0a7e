import type { BaseKind } from '../../agent/kinds.js';
import { finish, halt } from '../../agent/options/directive.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import type { BuiltInScenario, MakeScenario, Subject } from './ending-scenario.js';
import { callOf, standInTools, toolNames } from './stand-in-tools.js';

/** A limit beyond this would only take time: the ending is the same. */
const enoughIterations = 200;

/** The kinds that tools, hooks and a compaction add. */
type StoppedKind = 'compaction_failed' | 'halted' | 'plugin_requested';

/** The scenario of each kind that the loop of an agent can end with; a kind without one does not compile. */
export const baseScenarios: Readonly<Record<BaseKind | StoppedKind, MakeScenario>> = {
  natural_end: ({ output }) => ({ answers: [output === undefined ? { text: 'done' } : { output }] }),
  max_iterations: ({ options, conditions }) => ({
    answers: [callOf(firstTool(options))],
    options: { stopWhen: [shortened(conditions)] },
  }),
  time_budget: timeScenario,
  cancelled: () => ({ answers: [{ text: 'late', delay: '1h' }], performance: 'abort' }),
  halted: ({ options }) => ({
    answers: [callOf(firstTool(options))],
    options: { tools: standInTools(options, () => halt('a tool halted it')) },
  }),
  plugin_requested: () => ({
    answers: [{ text: 'done' }],
    options: { hooks: { beforeModel: () => finish('a hook finished it') } },
  }),
  agent_refused: () => answered({ text: 'I cannot do that.', error: 'filter' }),
  output_truncated: () => answered({ text: 'and then', error: 'length' }),
  prompt_too_long: () => answered({ error: 'context_length' }),
  compaction_failed: () => ({
    answers: [{ error: 'context_length' }],
    options: {
      compaction: { strategies: [{ name: 'stand-in', compact: () => Promise.reject(new Error('cannot compact')) }] },
    },
  }),
  provider_auth: () => answered({ error: 'auth' }),
  provider_quota: () => answered({ error: { status: 429, code: 'insufficient_quota' } }),
  provider_failed: () => answered({ error: { status: 503 } }),
  no_answer: () => answered({ finish: 'other' }),
  failed: () => answered({ error: { message: 'something nobody expected' } }),
  abandoned: ({ options }) => ({ answers: [callOf(firstTool(options)), { text: 'done' }], performance: 'abandon' }),
};

function answered(answer: ScriptAnswer): BuiltInScenario {
  return { answers: [answer] };
}

function firstTool(options: Subject['options']): string {
  return toolNames(options)[0] as string;
}

/** The limit of iterations that ends first, made short enough to try. */
function shortened(conditions: Subject['conditions']) {
  const limits = conditions.map((condition) => condition.toJSON());
  const rounds = limits.some((json) => json['unit'] === 'round');
  const least = Math.min(enoughIterations, ...limits.map((json) => Number(json['limit'] ?? enoughIterations)));
  return maxIterations(least, rounds ? { unit: 'round' } : {});
}

const dayMs = 86_400_000;

/** A model that takes longer than any limit of time. */
function timeScenario({ conditions, stopWhen }: Subject): BuiltInScenario | string {
  const limits = conditions.flatMap(({ limits = {} }) => [limits.runMs, limits.iterationMs, limits.modelMs]);
  const finite = limits.filter((limit): limit is number => Number.isFinite(limit));
  const isUnlimited = stopWhen.some((condition) => condition.limits?.modelMs === Number.POSITIVE_INFINITY);
  if (finite.length === 0 && isUnlimited)
    return 'no limit of time can end it: timeout({ model: false }) waits for ever';
  const delay = `${Math.ceil(Math.max(dayMs, ...finite)) + 1}ms`;
  return { answers: [{ text: 'late', delay }], options: { stopWhen: conditions, retry: { attempts: 1 } } };
}
