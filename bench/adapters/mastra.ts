import { withEnding } from 'fullstop/adapters/mastra';
import { scriptedModel } from 'fullstop/testing';
import { loadFramework } from '../../tests/adapters/load-framework.js';
import { type Contest, countToolRun, inputSchema, ours } from './contest.js';

/** An agent of Mastra. */
export async function mastraContest(): Promise<Contest> {
  const { Agent } = await loadFramework('mastra', '@mastra/core/agent');
  const { createTool } = await loadFramework('mastra', '@mastra/core/tools');
  const execute = async ({ n }: { readonly n: number }) => {
    countToolRun();
    return { next: n + 1 };
  };
  const tools = { count: createTool({ id: 'count', description: 'counts', inputSchema, execute }) };
  const usageOf = (n: number) => ({ inputTokens: 100 + n, outputTokens: 10 });
  const agentOf = (count: number) => {
    const calls = Array.from({ length: count }, (_, n) => ({
      toolCalls: [{ tool: 'count', input: { n } }],
      usage: usageOf(n),
    }));
    const model = scriptedModel([...calls, { text: 'done', usage: usageOf(count) }]);
    return new Agent({ id: 'bench', name: 'bench', instructions: 'Count.', model, tools });
  };
  const options = (count: number) => ({ maxSteps: count + 5 });
  return {
    name: 'Mastra generate',
    pace: 'slow',
    bare: (count) => agentOf(count).generate('go', options(count)),
    plain: (count) => withEnding(agentOf(count), ['go', options(count)]),
    ended: (count) => withEnding(agentOf(count), ['go', options(count)], ours),
  };
}
