import { expect, test } from 'vitest';
import { z } from 'zod';
import { resumeWithEnding, withEnding } from '../../packages/fullstop/src/adapters/mastra/index.js';
import { memoryEngine } from '../../packages/fullstop/src/engines/memory/memory-engine.js';
import { type ScriptAnswer, scriptedModel } from '../../packages/fullstop/src/testing/index.js';
import { loadFramework } from './load-framework.js';

const { Mastra } = await loadFramework('mastra', '@mastra/core');
const { Agent } = await loadFramework('mastra', '@mastra/core/agent');
const { InMemoryStore } = await loadFramework('mastra', '@mastra/core/storage');
const { createTool } = await loadFramework('mastra', '@mastra/core/tools');

/** An agent whose suspended runs Mastra keeps in its storage. */
function agentOf(answers: readonly ScriptAnswer[], tools: object) {
  const model = scriptedModel(answers);
  const agent = new Agent({ id: 'helper', name: 'helper', instructions: 'Help.', model, tools });
  return new Mastra({ agents: { helper: agent }, storage: new InMemoryStore(), logger: false }).getAgent('helper');
}

function deploying() {
  const deployed: string[] = [];
  const deploy = createTool({
    id: 'deploy',
    description: 'deploy',
    inputSchema: z.object({ to: z.string() }),
    requireApproval: true,
    execute: async ({ to }: { readonly to: string }) => {
      deployed.push(to);
      return 'deployed';
    },
  });
  const call = { toolCalls: [{ tool: 'deploy', input: { to: 'prod' }, id: 'call_1' }] };
  return { deployed, agent: agentOf([call, { text: 'done' }], { deploy }) };
}

test('a call that was approved is made once, from where Mastra keeps the run', async () => {
  const { agent, deployed } = deploying();
  const engine = memoryEngine();
  const first = await withEnding(agent, ['ship it'], { engine, runId: 'ship' });
  expect(first.termination).toMatchObject({
    kind: 'interaction_pending',
    requests: [{ id: 'call_1', tool: 'deploy' }],
  });
  expect(deployed).toEqual([]);
  const answers = { call_1: { decision: 'approve' } } as const;
  const second = await resumeWithEnding(agent, ['ship it'], { engine, runId: 'ship', answers });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(second.run.output).toBe('done');
  expect(deployed).toEqual(['prod']);
});

test('a call that was declined is not made, and the run comes to its end', async () => {
  const { agent, deployed } = deploying();
  const first = await withEnding(agent, ['ship it']);
  const second = await first.run.resume({ answers: { call_1: { decision: 'deny', reason: 'not on a Friday' } } });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(deployed).toEqual([]);
});

test('a tool that suspended the run gets the answer', async () => {
  const chosen: unknown[] = [];
  const choose = createTool({
    id: 'choose',
    description: 'choose',
    inputSchema: z.object({}),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ colour: z.string() }),
    execute: async (
      _input: object,
      { agent }: { readonly agent: { readonly resumeData?: unknown; suspend(data: object): Promise<unknown> } },
    ) => {
      if (agent.resumeData === undefined) return agent.suspend({ question: 'Which one?' });
      chosen.push(agent.resumeData);
      return 'chosen';
    },
  });
  const agent = agentOf([{ toolCalls: [{ tool: 'choose', input: {}, id: 'call_1' }] }, { text: 'done' }], { choose });
  const first = await withEnding(agent, ['choose']);
  expect(first.termination).toMatchObject({
    kind: 'interaction_pending',
    requests: [{ id: 'call_1', type: 'input', input: { question: 'Which one?' } }],
  });
  const second = await first.run.resume({ answers: { call_1: { decision: 'value', value: { colour: 'red' } } } });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(chosen).toEqual([{ colour: 'red' }]);
});

test('a tool of the client gets the answer of the client, and the model hears it', async () => {
  const locate = createTool({ id: 'locate', description: 'locate', inputSchema: z.object({}) });
  const agent = agentOf([{ toolCalls: [{ tool: 'locate', input: {}, id: 'call_1' }] }, { text: 'done' }], { locate });
  const first = await withEnding(agent, ['where am I?']);
  expect(first.termination).toMatchObject({
    kind: 'interaction_pending',
    requests: [{ id: 'call_1', type: 'client_tool', tool: 'locate' }],
  });
  const second = await first.run.resume({ answers: { call_1: { decision: 'value', value: { city: 'Rome' } } } });
  expect(second.termination).toEqual({ kind: 'natural_end' });
});
