import { withEnding } from 'fullstop/adapters/openai-agents';
import { loadFramework } from '../../tests/adapters/load-framework.js';
import { type Contest, countToolRun, inputSchema, ours } from './contest.js';

/** The OpenAI Agents SDK. */
export async function openaiAgentsContest(): Promise<Contest> {
  const { Agent, run, setTracingDisabled, tool: define } = await loadFramework('openai-agents', '@openai/agents');
  setTracingDisabled(true);
  const usageOf = (n: number) => ({ requests: 1, inputTokens: 100 + n, outputTokens: 10, totalTokens: 110 + n });
  const details = { inputTokensDetails: [], outputTokensDetails: [] };
  const agentOf = (count: number) => {
    let made = 0;
    const getResponse = async () => {
      made += 1;
      const text = {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'done' }],
      };
      const call = {
        type: 'function_call',
        callId: `c${made}`,
        name: 'count',
        status: 'completed',
        arguments: `{"n":${made}}`,
      };
      return { usage: { ...usageOf(made), ...details }, output: [made > count ? text : call] };
    };
    const execute = async ({ n }: { readonly n: number }) => {
      countToolRun();
      return `next ${n}`;
    };
    const tools = [define({ name: 'count', description: 'counts', parameters: inputSchema, execute })];
    return new Agent({ name: 'bench', model: { getResponse, name: 'bench/bench' }, tools });
  };
  const options = (count: number) => ({ maxTurns: count + 5 });
  return {
    name: 'OpenAI Agents run',
    bare: (count) => run(agentOf(count), 'go', options(count)),
    plain: (count) => withEnding(run, [agentOf(count), 'go', options(count)]),
    ended: (count) => withEnding(run, [agentOf(count), 'go', options(count)], ours),
  };
}
