import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { openingsOf } from '../run/replay/openings.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { seededRandom } from '../testing/seeded-random.js';
import type { Agent, AgentResult } from './agent.js';
import { defineAgent } from './define-agent.js';
import { approve, deny } from './options/directive.js';
import { goal } from './options/goal.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { toolResult } from './tools/client-tool.js';
import { requireApproval } from './tools/tool.js';

type Random = () => number;

const usage = { inputTokens: 10, outputTokens: 10 };

function script(random: Random, tools: readonly string[]): readonly ScriptAnswer[] {
  return Array.from({ length: 16 }, (_, index) => {
    if (random() < 0.08) return { text: `answer ${index}`, usage };
    const count = 1 + Math.floor(random() * 3);
    const toolCalls = Array.from({ length: count }, () => {
      const tool = tools[Math.floor(random() * tools.length)] ?? 'echo';
      return { tool, input: tool === 'helper' ? { prompt: 'help' } : { n: Math.floor(random() * 9) } };
    });
    return { text: `thought ${index}`, toolCalls, usage };
  });
}

/** The same agent for whoever asks with the same seed; its model is where the others left it. */
function agentOf(seed: number, model: ReturnType<typeof scriptedModel>): Agent {
  const random = seededRandom(seed * 7 + 1);
  const tools = {
    echo: { execute: (input: object) => input },
    ask: requireApproval({ execute: () => 'agreed' }),
    client: { outputSchema: { type: 'string' } },
    both: requireApproval({ description: 'performed outside, after a yes' }),
  };
  const helper = defineAgent({ name: 'helper', model, tools, stopWhen: [maxIterations(2)] });
  const check = (['iteration', 'tool_rounds', 'tool_call'] as const)[Math.floor(random() * 3)] ?? 'iteration';
  return defineAgent({
    name: 'outer',
    model,
    tools: { ...tools, helper: agentAsTool(helper) },
    stopWhen: [maxIterations(2), tokenBudget({ total: 120 })],
    roundsPerIteration: 1 + Math.floor(random() * 2),
    ...(random() < 0.3 && { promptFor: ({ iteration }: { readonly iteration: number }) => `prompt ${iteration}` }),
    ...(random() < 0.3 && { goal: goal(() => false, { check }) }),
    ...(random() < 0.3 && { hooks: { beforeIteration: () => undefined, afterIteration: () => undefined } }),
  }) as unknown as Agent;
}

const shown = ({ termination, also, text, messages, iterations, toolCalls, children, usage: used }: AgentResult) =>
  JSON.parse(JSON.stringify({ termination, also, text, messages, iterations, toolCalls, children, used })) as unknown;

async function goOn(result: AgentResult, segment: number, random: Random): Promise<AgentResult> {
  const { termination } = result;
  if (termination.kind === 'interaction_pending' && 'requests' in termination) {
    const [first] = termination.requests as readonly { readonly id: string; readonly type: string }[];
    const yes = first?.type === 'client_tool' ? toolResult('seen') : approve();
    return result.resume({ answers: { [first?.id ?? '']: random() < 0.7 ? yes : deny({ reason: 'no' }) } });
  }
  const stopWhen = [maxIterations(2 + segment * 2), tokenBudget({ total: 120 + segment * 200 })];
  return result.resume({ stopWhen, ...(random() < 0.4 && { guidance: `segment ${segment}` }) });
}

describe('a run of several segments', () => {
  it('is read from its journal as it was lived, whoever reads it, and is the same when replayed after every step', async () => {
    const kinds = new Set<string>();
    let openings = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const lived: unknown[] = [];
      for (const alwaysReplay of [false, true]) {
        const random = seededRandom(seed);
        const engine = memoryEngine();
        const answers = { outer: script(random, ['echo', 'ask', 'helper']), helper: script(random, ['echo', 'ask']) };
        const model = scriptedModel(answers, { exhausted: 'repeat-last' });
        let result = await agentOf(seed, model).run('go', { engine, runId: 'r', alwaysReplay });
        for (let segment = 1; ; segment += 1) {
          kinds.add(result.termination.kind);
          const read = await agentOf(seed, model).result('r', { engine });
          expect(shown(read as AgentResult), `seed ${seed}, segment ${segment}`).toEqual(shown(result));
          if (segment === 5 || result.category === 'success') break;
          result = await goOn(result, segment, random);
        }
        openings += openingsOf(await engine.journal('r'), '').length;
        lived.push(shown(result));
      }
      expect(lived[1], `seed ${seed}`).toEqual(lived[0]);
    }
    expect([...kinds]).toEqual(expect.arrayContaining(['interaction_pending', 'max_iterations', 'token_budget']));
    expect(openings).toBeGreaterThan(200);
  }, 300_000);

  it('resumes a sub-agent where it stopped, once for every segment that reached it', async () => {
    const engine = memoryEngine();
    const call = { toolCalls: [{ tool: 'ask', input: {}, id: 'c' }], usage };
    const model = scriptedModel({
      outer: [
        { toolCalls: [{ tool: 'helper', input: { prompt: 'x' }, id: 'h' }], usage },
        { text: 'out', usage },
      ],
      helper: [call, call, { text: 'in', usage }],
    });
    const helper = defineAgent({ name: 'helper', model, tools: { ask: requireApproval({ execute: () => 'ok' }) } });
    const agent = defineAgent({ name: 'outer', model, tools: { helper: agentAsTool(helper) } });
    const first = await agent.run('go', { engine, runId: 'r' });
    const second = await first.resume({ answers: { 'helper:h/c': approve() } });
    const third = await second.resume({ answers: { 'helper:h/c#2': approve() } });
    expect(third.termination).toEqual({ kind: 'natural_end' });
    expect(third.children).toMatchObject([{ output: 'in', usage: { totalTokens: 60 } }]);
    const journal = await engine.journal('r');
    expect(openingsOf(journal, 'helper:h').map(({ segment }) => segment)).toEqual([2, 3]);
    expect(openingsOf(journal, '').map(({ segment, ending }) => [segment, ending?.kind])).toEqual([
      [2, 'interaction_pending'],
      [3, 'interaction_pending'],
    ]);
    expect(openingsOf(journal, 'nobody')).toEqual([]);
  });
});
