import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { systemClock } from '../engines/port/clock.js';
import type { ScriptAnswer } from '../models/script.js';
import { scriptedModel } from '../models/scripted-model.js';
import { sweepAbandoned } from '../run/sweep.js';
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
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import type { AnyAgentOptions } from './agent-options.js';
import { defineAgent } from './define-agent.js';
import { finish, halt, submit } from './directive.js';
import { goal } from './goal.js';
import { baseKinds, possibleKinds } from './kinds.js';
import { submitTool } from './submit-tool.js';
import { requireApproval } from './tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const call = (tool: string, input: Record<string, string | number> = {}): ScriptAnswer => ({
  toolCalls: [{ tool, input }],
  usage,
});
const text = (words: string): ScriptAnswer => ({ text: words, usage });
const echo = { inputSchema: { type: 'object' }, execute: (input: object) => input };
const broken = {
  inputSchema: { type: 'object' },
  execute: () => {
    throw new Error('broken');
  },
};
const reconciled = defineTermination({
  kind: 'app.reconciled',
  schema: z.object({ findings: z.number() }),
  family: 'completion',
  category: 'success',
});

interface Case {
  readonly answers: readonly ScriptAnswer[];
  readonly options?: Omit<AnyAgentOptions, 'model'>;
  readonly ending: Ending & Readonly<Record<string, unknown>>;
}

const cases: Readonly<Record<string, Case>> = {
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
  provider_auth: { answers: [{ error: 'auth' }], ending: { kind: 'provider_auth', status: 401, provider: 'scripted' } },
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

/** Every kind that a run of this file has ended with. */
const produced = new Set<string>();

function optionsOf({ answers, options }: Case): AnyAgentOptions {
  const model = scriptedModel([...answers], { exhausted: 'repeat-last' });
  return { tools: { echo }, retry: { initialDelayMs: 1 }, ...options, model };
}

describe('every ending of an agent', () => {
  for (const [kind, each] of Object.entries(cases)) {
    it(`can be ${kind}`, async () => {
      const options = optionsOf(each);
      const result = await defineAgent(options).run('go');
      expect(result.termination).toEqual(each.ending);
      expect(result.termination.kind).toBe(kind);
      produced.add(result.termination.kind);
      expect(possibleKinds(options)).toContain(kind);
    });

    it(`can be ${kind}, dropped and replayed after every step`, async () => {
      const engine = memoryEngine();
      const agent = defineAgent(optionsOf(each));
      const result = await agent.run('go', { engine, alwaysReplay: true });
      expect(result.termination).toEqual(each.ending);
      const read = await agent.result(result.runId, { engine });
      expect(read?.messages).toEqual(result.messages);
      expect(read?.toolCalls).toEqual(result.toolCalls);
    });
  }

  it('can be cancelled', async () => {
    const model = scriptedModel([{ text: 'late', delay: '10s' }]);
    const controller = new AbortController();
    const running = defineAgent({ model }).run('go', { signal: controller.signal });
    setTimeout(() => controller.abort('no longer needed'), 20);
    const { termination } = await running;
    expect(termination).toEqual({ kind: 'cancelled', by: 'caller', reason: 'no longer needed' });
    produced.add(termination.kind);
  });

  it('can be abandoned, and taken up again', async () => {
    const hour = 3_600_000;
    const source = memoryEngine({ clock: { ...systemClock, now: () => Date.now() - hour } });
    const agent = defineAgent({ model: scriptedModel([call('echo'), text('done'), text('done')]), tools: { echo } });
    await agent.run('go', { engine: source, runId: 'gone' });
    const engine = memoryEngine();
    await engine.importRun((await source.journal('gone')).slice(0, 4));
    const endings = await sweepAbandoned(engine, [agent], { olderThanMs: 1000 });
    expect(endings.map(({ termination }) => termination.kind)).toEqual(['abandoned']);
    const abandoned = await agent.result('gone', { engine });
    expect(abandoned?.termination.kind).toBe('abandoned');
    produced.add(abandoned?.termination.kind ?? '');
    const ended = await agent.resume('gone', { engine });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(ended.toolCalls).toHaveLength(1);
  });

  it('can be gate_expired, where nobody answers in time', async () => {
    const tools = { echo: requireApproval(echo, { deadline: '1h' }) };
    const clock = simulatedClock();
    const agent = defineAgent({ model: scriptedModel([call('echo')]), tools });
    const result = await agent.run('go', { clock, onPause: 'wait' });
    expect(result.termination.kind).toBe('gate_expired');
    produced.add(result.termination.kind);
    expect(possibleKinds({ tools })).toContain('gate_expired');
  });

  it('has a case for every builder of conditions that there is', () => {
    const files = readdirSync(new URL('../stop/conditions/', import.meta.url));
    const builders = files
      .filter((file) => file.endsWith('.ts') && !file.includes('.test'))
      .map((file) => file.slice(0, -3).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
    const tried = Object.entries(cases).flatMap(([kind, { options }]) =>
      (options?.stopWhen ?? [])
        .filter(({ kinds }) => kinds.includes(kind))
        .map((condition) => (condition.evaluateAsync === undefined ? condition.toJSON()['type'] : 'stopCondition')),
    );
    expect(builders.length).toBeGreaterThan(10);
    expect(builders.filter((builder) => !tried.includes(builder))).toEqual([]);
  });

  it('is listed: the base kinds, and what the options add', () => {
    // Whatever options can add, all of them together: nothing that an agent can end with is left out.
    const everything = possibleKinds({
      stopWhen: Object.values(cases).flatMap(({ options }) => options?.stopWhen ?? []),
      tools: { submit: submitTool(), asked: requireApproval(echo, { deadline: '1h' }) },
      output: z.object({}),
      goal: goal(() => true),
      terminations: [reconciled],
    });
    expect([...produced].sort()).toEqual([...new Set([...everything, 'schema_validation'])].sort());
    expect(everything).toEqual(expect.arrayContaining([...baseKinds]));
    const added = Object.entries(cases).flatMap(([kind, each]) =>
      possibleKinds({}).includes(kind) ? [] : [[kind, each] as const],
    );
    for (const [kind, each] of added) expect(possibleKinds(optionsOf(each))).toContain(kind);
    expect(possibleKinds({})).toEqual(baseKinds);
  });

  it('is submitted by any tool that says so', async () => {
    const tools = { hand: { execute: () => submit({ ok: true }) }, echo };
    const model = scriptedModel([{ toolCalls: [{ tool: 'hand' }, { tool: 'echo', input: { q: 'kept' } }] }]);
    const result = await defineAgent({ model, tools }).run('go');
    expect(result.termination).toEqual({ kind: 'submitted', tool: 'hand', deliverable: { ok: true } });
    expect(result.output).toEqual({ ok: true });
    expect(result.toolCalls.map(({ tool }) => tool)).toEqual(['hand', 'echo']);
  });
});
