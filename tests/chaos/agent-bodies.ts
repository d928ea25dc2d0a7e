import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../../packages/fullstop/src/agent/agent.js';
import { defineAgent } from '../../packages/fullstop/src/agent/define-agent.js';
import { goal } from '../../packages/fullstop/src/agent/options/goal.js';
import { agentAsTool } from '../../packages/fullstop/src/agent/tools/agent-as-tool.js';
import { requireApproval, type ToolCallOptions } from '../../packages/fullstop/src/agent/tools/tool.js';
import type { ScriptAnswer } from '../../packages/fullstop/src/models/scripted/script.js';
import { type ScriptedCall, scriptedModel } from '../../packages/fullstop/src/models/scripted/scripted-model.js';
import { maxIterations } from '../../packages/fullstop/src/stop/conditions/max-iterations.js';
import type { EffectLog, Mark } from './effect-log.js';

/** How many tool calls an agent makes that is asked for so many rounds; those of its helper are the helper's. */
export function callsOf(rounds: number): number {
  return Array.from({ length: rounds }, (_, round) => toolsOf(round).length).reduce((sum, count) => sum + count, 0);
}

/** Plain calls side by side, one that a person has to agree to, both together, and an agent inside. */
function toolsOf(round: number): readonly string[] {
  const rounds = [['note', 'note'], ['charge'], ['note', 'charge', 'note'], ['helper']] as const;
  return rounds[round % rounds.length] ?? ['note'];
}

/** The model's next words depend on the conversation alone, so that it is the same in every process. */
function answer({ agent, options }: ScriptedCall): ScriptAnswer {
  const round = options.prompt.filter(({ role }) => role === 'assistant').length;
  const asked = JSON.stringify(options.prompt.find(({ role }) => role === 'user')?.content);
  const rounds = agent === 'helper' ? 2 : Number(/rounds (\d+)/.exec(asked)?.[1] ?? 1);
  if (round >= rounds) return { text: `${rounds} rounds are done` };
  const tools = agent === 'helper' ? ['note', 'charge'].slice(round, round + 1) : toolsOf(round);
  const toolCalls = tools.map((tool, index) => ({
    tool,
    input: tool === 'helper' ? { prompt: 'help' } : { round },
    id: `${round}-${index}`,
  }));
  return { toolCalls, usage: { inputTokens: 7, outputTokens: 3 } };
}

/** Agents whose tools leave marks in the log. */
export function chaosAgents(log: EffectLog): readonly Agent[] {
  const model = scriptedModel(answer);
  const marked =
    (kind: 'note' | 'charge') =>
    async (_input: object, { idempotencyKey }: ToolCallOptions): Promise<Mark> => {
      const mark = log.effect(`${kind} ${idempotencyKey}`);
      await sleep(Math.random() * (kind === 'charge' ? 40 : 12));
      return mark;
    };
  const tools = { note: { execute: marked('note') }, charge: requireApproval({ execute: marked('charge') }) };
  const options = { model, stopWhen: [maxIterations(40)], graceMs: 2000 };
  const helper = defineAgent({ ...options, name: 'helper', tools });
  const all = { ...tools, helper: agentAsTool(helper) };
  const talking = defineAgent({ ...options, name: 'talking', tools: all });
  // The calls one after the other, each of them judged by code of the user's.
  const judged = defineAgent({
    ...options,
    name: 'judged',
    tools: all,
    goal: goal(() => false, { check: 'tool_call' }),
  });
  return [talking, judged] as unknown as readonly Agent[];
}
