import { expect } from 'vitest';
import { z } from 'zod';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import type { DeclarativeKind } from '../stop/condition-readers.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { consecutiveErrors } from '../stop/conditions/consecutive-errors.js';
import { consecutiveMistakes } from '../stop/conditions/consecutive-mistakes.js';
import { contentMatch } from '../stop/conditions/content-match.js';
import { costBudget } from '../stop/conditions/cost-budget.js';
import { loopDetection } from '../stop/conditions/loop-detection.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { noProgress } from '../stop/conditions/no-progress.js';
import { stallDetection } from '../stop/conditions/stall-detection.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { stopOnTool } from '../stop/conditions/stop-on-tool.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { defineTermination } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { StandardSchema } from '../termination/standard-schema.js';
import { terminations } from '../termination/terminations.js';
import type {
  BaseKind,
  CompactionKinds,
  GoalKinds,
  HookKinds,
  OutputKinds,
  PermissionKinds,
  ToolKinds,
} from './kinds.js';
import type { AnyAgentOptions } from './options/agent-options.js';
import type { CompactionOptions } from './options/compaction.js';
import { finish, halt } from './options/directive.js';
import { type Goal, goal } from './options/goal.js';
import type { AgentHooks } from './options/hooks.js';
import type { AgentPermissions } from './options/permissions.js';
import { submitTool } from './tools/submit-tool.js';
import { requireApproval, type ToolSet } from './tools/tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
export const call = (tool: string, input: Record<string, string | number> = {}): ScriptAnswer => ({
  toolCalls: [{ tool, input }],
  usage,
});
export const text = (words: string): ScriptAnswer => ({ text: words, usage });
export const echo = { inputSchema: { type: 'object' }, execute: (input: object) => input };
const broken = {
  inputSchema: { type: 'object' },
  execute: () => {
    throw new Error('broken');
  },
};
export const reconciled = defineTermination({
  kind: 'app.reconciled',
  schema: z.object({ findings: z.number() }),
  family: 'completion',
  category: 'success',
});

/** Every kind that options can make an agent end with; `app.reconciled` stands for those of users. */
export type AgentKind =
  | BaseKind
  | DeclarativeKind
  | ToolKinds<ToolSet>
  | OutputKinds<StandardSchema, false>
  | OutputKinds<StandardSchema, number>
  | GoalKinds<Goal>
  | PermissionKinds<Required<AgentPermissions>>
  | HookKinds<keyof AgentHooks>
  | CompactionKinds<keyof CompactionOptions>
  | 'gate_expired'
  | 'custom'
  | 'app.reconciled';

/** The kinds that need more than options and answers: a cancellation, a process that dies, a deadline. */
type KindFromOutside = 'cancelled' | 'abandoned' | 'gate_expired';

export interface Case {
  readonly answers: readonly ScriptAnswer[];
  readonly options?: Omit<AnyAgentOptions, 'model'>;
  readonly ending: Ending & Readonly<Record<string, unknown>>;
}

/** For every kind that options and answers alone bring about: both of them, and the ending. One without a case does not compile. */
export const cases: Readonly<Record<Exclude<AgentKind, KindFromOutside>, Case>> = {
  natural_end: { answers: [text('done')], ending: { kind: 'natural_end' } },
  max_iterations: {
    answers: [call('echo')],
    options: { stopWhen: [maxIterations(2)] },
    ending: { kind: 'max_iterations', limit: 2, used: 2, unit: 'iteration' },
  },
  halted: {
    answers: [call('stop')],
    options: { tools: { stop: { execute: () => halt('enough') } } },
    ending: { kind: 'halted', by: { type: 'tool', name: 'stop' }, reason: 'enough' },
  },
  plugin_requested: {
    answers: [text('done')],
    options: { hooks: { name: 'guard', beforeModel: () => finish('not needed') } },
    ending: { kind: 'plugin_requested', plugin: 'guard.beforeModel', reason: 'not needed' },
  },
  agent_refused: {
    answers: [{ text: 'I cannot', error: 'filter' }],
    ending: { kind: 'agent_refused', agentId: 'agent', reason: 'I cannot', by: 'filter' },
  },
  output_truncated: {
    answers: [{ text: 'and then', error: 'length' }],
    options: { settings: { maxOutputTokens: 5 } },
    ending: { kind: 'output_truncated', reason: 'length', cap: 5 },
  },
  provider_auth: {
    answers: [{ error: 'auth' }],
    ending: { kind: 'provider_auth', status: 401, provider: 'scripted', message: 'The script refuses the key.' },
  },
  provider_quota: {
    answers: [{ error: { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota.' } }],
    ending: {
      kind: 'provider_quota',
      status: 429,
      provider: 'scripted',
      message: 'You exceeded your current quota.',
    },
  },
  provider_failed: {
    answers: [{ error: { status: 503, retryAfter: '90s' } }],
    ending: {
      kind: 'provider_failed',
      status: 503,
      attempts: 1,
      retryAfterMs: 90_000,
      provider: 'scripted',
      message: 'The script answers with status 503.',
    },
  },
  no_answer: {
    answers: [{ finish: 'other' }],
    ending: { kind: 'no_answer', attempts: 2, finishReason: 'other' },
  },
  completed: {
    answers: [call('echo')],
    options: { goal: goal(({ toolCalls }) => toolCalls > 0) },
    ending: { kind: 'completed', check: 'iteration' },
  },
  submitted: {
    answers: [call('submit', { score: 7 })],
    options: { tools: { submit: submitTool() } },
    ending: { kind: 'submitted', tool: 'submit', deliverable: { score: 7 } },
  },
  tool_called: {
    answers: [call('echo')],
    options: { stopWhen: [stopOnTool('echo')] },
    ending: { kind: 'tool_called', tool: 'echo' },
  },
  content_matched: {
    answers: [{ text: 'the END', toolCalls: [{ tool: 'echo' }] }],
    options: { stopWhen: [contentMatch('END')] },
    ending: { kind: 'content_matched', pattern: 'END' },
  },
  max_tool_calls: {
    answers: [call('echo')],
    options: { stopWhen: [maxToolCalls(3)] },
    ending: { kind: 'max_tool_calls', limit: 3, used: 3 },
  },
  time_budget: {
    answers: [{ ...text('late'), delay: '200ms' }],
    options: { stopWhen: [timeout({ model: 10 })], retry: { attempts: 1 } },
    ending: { kind: 'time_budget', limitMs: 10, elapsedMs: 10, scope: 'model' },
  },
  token_budget: {
    answers: [call('echo')],
    options: { stopWhen: [tokenBudget({ total: 50 })] },
    ending: { kind: 'token_budget', limit: 50, used: 60 },
  },
  cost_budget: {
    answers: [call('echo')],
    options: {
      stopWhen: [costBudget({ usd: 30 })],
      prices: { scripted: { inputPerMillion: 1_000_000, outputPerMillion: 0 } },
    },
    ending: { kind: 'cost_budget', limitUsd: 30, usedUsd: 30 },
  },
  budget_pressure: {
    answers: [call('echo'), call('echo'), text('in short')],
    options: { stopWhen: [tokenBudget({ total: 80 }), budgetPressure(0.5)] },
    ending: { kind: 'budget_pressure', threshold: 0.5, resource: 'tokens', finalized: true },
  },
  loop_detected: {
    answers: [call('echo', { q: 'x' })],
    options: { stopWhen: [loopDetection()] },
    ending: { kind: 'loop_detected', cycle: [{ tool: 'echo', input: { q: 'x' } }], repeats: 3 },
  },
  stall_detected: {
    answers: [call('echo', { n: 1 }), call('echo', { n: 2 }), call('echo', { n: 3 })],
    options: { stopWhen: [stallDetection()] },
    ending: { kind: 'stall_detected', consecutive: 3, tolerance: 0.1, tokens: [20, 20, 20] },
  },
  no_progress: {
    answers: [call('echo', { q: 'x' })],
    options: { stopWhen: [noProgress(2)] },
    ending: {
      kind: 'no_progress',
      limit: 2,
      used: 2,
      snapshot: expect.anything() as unknown,
    },
  },
  consecutive_errors: {
    answers: [call('broken')],
    options: { tools: { broken }, stopWhen: [consecutiveErrors(2)] },
    ending: {
      kind: 'consecutive_errors',
      limit: 2,
      used: 2,
      lastError: expect.objectContaining({ message: 'broken' }) as unknown,
    },
  },
  consecutive_mistakes: {
    answers: [call('nope')],
    options: { stopWhen: [consecutiveMistakes(2)] },
    ending: {
      kind: 'consecutive_mistakes',
      limit: 2,
      used: 2,
      lastMistake: expect.objectContaining({ problem: 'unknown_tool' }) as unknown,
    },
  },
  interaction_pending: {
    answers: [call('echo', { q: 'x' })],
    options: { tools: { echo: requireApproval(echo) } },
    ending: {
      kind: 'interaction_pending',
      requests: [{ id: expect.any(String) as unknown, path: '', type: 'approval', tool: 'echo', input: { q: 'x' } }],
    },
  },
  schema_validation: {
    answers: [{ output: { score: 'x' } }],
    options: { output: z.object({ score: z.number() }), repair: false },
    ending: {
      kind: 'schema_validation',
      violations: [expect.objectContaining({ path: 'score' })],
      received: { score: 'x' },
    },
  },
  structured_output_exhausted: {
    answers: [{ output: { score: 'x' } }],
    options: { output: z.object({ score: z.number() }), repair: 1 },
    ending: {
      kind: 'structured_output_exhausted',
      attempts: 2,
      violations: [expect.objectContaining({ path: 'score' })],
    },
  },
  compaction_failed: {
    answers: [{ error: 'context_length' }],
    options: {
      compaction: { strategies: [{ name: 'shrink', compact: () => Promise.reject(new Error('cannot')) }] },
    },
    ending: {
      kind: 'compaction_failed',
      stage: 'shrink',
      error: expect.objectContaining({ message: 'cannot' }) as unknown,
    },
  },
  prompt_too_long: {
    answers: [{ error: 'context_length' }],
    ending: expect.objectContaining({ kind: 'prompt_too_long' }) as unknown as Case['ending'],
  },
  failed: {
    answers: [call('echo')],
    options: {
      goal: goal(() => {
        throw new TypeError('bad predicate');
      }),
    },
    ending: {
      kind: 'failed',
      error: expect.objectContaining({ message: 'bad predicate' }) as unknown,
      origin: 'loop',
      errorClass: 'unknown',
    },
  },
  custom: {
    answers: [call('echo')],
    options: {
      stopWhen: [
        stopCondition(
          'enough',
          ({ toolCalls }) => toolCalls > 1 && terminations.custom({ reason: 'enough', category: 'success' }),
        ),
      ],
    },
    ending: { kind: 'custom', reason: 'enough', category: 'success' },
  },
  'app.reconciled': {
    answers: [call('echo')],
    options: {
      terminations: [reconciled],
      stopWhen: [stopCondition('reconciled', () => reconciled({ findings: 4 }), ['app.reconciled'])],
    },
    ending: { kind: 'app.reconciled', findings: 4 },
  },
};

/** The options of an agent that ends so; each with a model of its own, since a script is used up. */
export function optionsOf({ answers, options }: Case): AnyAgentOptions {
  const model = scriptedModel([...answers], { exhausted: 'repeat-last' });
  return { tools: { echo }, retry: { initialDelayMs: 1 }, ...options, model };
}
