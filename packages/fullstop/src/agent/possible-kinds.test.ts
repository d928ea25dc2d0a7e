import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import type { StopCondition } from '../stop/condition.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { consecutiveErrors } from '../stop/conditions/consecutive-errors.js';
import { consecutiveMistakes } from '../stop/conditions/consecutive-mistakes.js';
import { contentMatch } from '../stop/conditions/content-match.js';
import { loopDetection } from '../stop/conditions/loop-detection.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { noProgress } from '../stop/conditions/no-progress.js';
import { stallDetection } from '../stop/conditions/stall-detection.js';
import { stopOnTool } from '../stop/conditions/stop-on-tool.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { seededRandom } from '../testing/seeded-random.js';
import { defineAgent } from './define-agent.js';
import { possibleKinds } from './kinds.js';
import type { AnyAgentOptions } from './options/agent-options.js';
import { finish, halt } from './options/directive.js';
import { goal } from './options/goal.js';
import { submitTool } from './tools/submit-tool.js';
import { requireApproval, type ToolSet } from './tools/tool.js';

type Random = () => number;

const usage = { inputTokens: 10, outputTokens: 10 };

function answer(random: Random): ScriptAnswer {
  const names = ['echo', 'broken', 'stop', 'submit', 'approved', 'nope'];
  const pick = random();
  if (pick < 0.15) return { text: 'done', usage };
  if (pick < 0.2) return { text: 'END', usage };
  if (pick < 0.24) return { error: 'length', text: 'cut' };
  if (pick < 0.27) return { error: 'filter' };
  if (pick < 0.3) return { error: 'auth' };
  if (pick < 0.33) return { error: 'context_length' };
  if (pick < 0.36) return { error: { status: 500 } };
  if (pick < 0.4) return { output: { score: random() < 0.5 ? 1 : 'x' }, usage };
  const count = 1 + Math.floor(random() * 3);
  const toolCalls = Array.from({ length: count }, () => ({
    tool: names[Math.floor(random() ** 2 * names.length)] ?? 'echo',
    input: { n: Math.floor(random() * 3) },
  }));
  return { toolCalls, usage };
}

const conditions: readonly (() => StopCondition<string>)[] = [
  () => maxIterations(4),
  () => maxToolCalls(5),
  () => tokenBudget({ total: 90 }),
  () => loopDetection(),
  () => stallDetection(),
  () => noProgress(2),
  () => consecutiveErrors(2),
  () => consecutiveMistakes(2),
  () => stopOnTool('echo'),
  () => contentMatch('END'),
];

function tools(random: Random): ToolSet {
  const all: ToolSet = {
    echo: { execute: (input: object) => input },
    broken: {
      execute: () => {
        throw new Error('broken');
      },
    },
    stop: { execute: () => halt('stop') },
    submit: submitTool(),
    approved: requireApproval({ execute: () => 'ok' }),
    outside: { description: 'performed outside' },
  };
  return Object.fromEntries(Object.entries(all).filter(() => random() < 0.7));
}

function permissions(random: Random, names: readonly string[]): Pick<AnyAgentOptions, 'permissions'> {
  const [first, second] = names;
  if (first === undefined || second === undefined || random() < 0.7) return {};
  return { permissions: random() < 0.5 ? { ask: [first] } : { deny: [first], allow: [second] } };
}

function options(random: Random): Omit<AnyAgentOptions, 'model'> {
  const picked = conditions.filter(() => random() < 0.3).map((make) => make());
  const pressed = picked.some(({ name }) => name === 'tokenBudget') && random() < 0.5;
  const all = tools(random);
  // A condition about a tool that is not there is refused.
  const stopWhen = picked.filter(({ name }) => name !== 'stopOnTool(echo)' || 'echo' in all);
  const check = (['iteration', 'tool_rounds', 'tool_call'] as const)[Math.floor(random() * 3)] ?? 'iteration';
  return {
    retry: { attempts: 1 },
    tools: all,
    stopWhen: pressed ? [...stopWhen, budgetPressure(0.5)] : stopWhen,
    ...(random() < 0.3 && { goal: goal(({ toolCalls }) => toolCalls > 3, { check }) }),
    ...(random() < 0.3 && { output: z.object({ score: z.number() }), repair: random() < 0.5 ? false : 1 }),
    ...(random() < 0.2 && { hooks: { beforeTool: () => finish('enough') } }),
    ...(random() < 0.3 && { roundsPerIteration: 1 + Math.floor(random() * 3) }),
    ...(random() < 0.2 && { promptFor: ({ iteration }: { readonly iteration: number }) => `prompt ${iteration}` }),
    ...(random() < 0.2 && { settings: { maxOutputTokens: 10 } }),
    ...permissions(random, Object.keys(all)),
  };
}

describe('possibleKinds', () => {
  it('names the ending of every run; the same one comes when it is replayed after every step, and when it is read', async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 250; seed += 1) {
      const random = seededRandom(seed);
      const answers = Array.from({ length: 12 }, () => answer(random));
      const given = options(random);
      const agentOf = () => {
        // A model of its own for every run, since a script is used up.
        const model = scriptedModel(answers, { exhausted: 'repeat-last' });
        return defineAgent({ ...given, model });
      };
      const engine = memoryEngine();
      const result = await agentOf().run('go', { engine });
      expect(possibleKinds(given), `seed ${seed}`).toContain(result.termination.kind);
      const replayed = await agentOf().run('go', { alwaysReplay: true });
      expect(replayed.termination, `seed ${seed}`).toEqual(result.termination);
      expect(replayed.also, `seed ${seed}`).toEqual(result.also);
      const read = await agentOf().result(result.runId, { engine });
      expect(read?.messages, `seed ${seed}`).toEqual(result.messages);
      expect(read?.iterations, `seed ${seed}`).toEqual(result.iterations);
      seen.add(result.termination.kind);
    }
    expect(seen.size).toBeGreaterThan(15);
  }, 300_000);
});
