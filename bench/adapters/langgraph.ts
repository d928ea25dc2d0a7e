import { generateText, stepCountIs, tool } from 'ai';
import { costBudget, loopDetection, timeout } from 'fullstop';
import { withEnding as withAiSdkEnding } from 'fullstop/adapters/ai-sdk';
import { withEnding as withGraphEnding } from 'fullstop/adapters/langgraph';
import { withEnding as withAgentsEnding } from 'fullstop/adapters/openai-agents';
import { z } from 'zod';
import { type AnyModule, isInstalled, loadFramework } from '../tests/adapters/load-framework.js';
import { median } from './interleave.js';

/** One call with so many steps, as it is and with an ending. */
interface Contest {
  readonly name: string;
  bare(steps: number): Promise<unknown>;
  ended(steps: number): Promise<unknown>;
  /** The same with a listener that does nothing, where the framework itself asks a price for listening. */
  heard?(steps: number): Promise<unknown>;
}

const steps = 200;
const warmUps = 8;
const rounds = 9;
/** An adapter may add this part of the framework's own cost, or this many microseconds per step, whichever is more. */
const allowed = { part: 0.05, microseconds: 20 };
const inputSchema = z.object({ n: z.number() });
const ours = {
  stopWhen: [loopDetection(), costBudget({ usd: 100 }), timeout({ run: '5m' })],
  prices: { 'bench/bench': { inputPerMillion: 1, outputPerMillion: 1 } },
};

function countingModel(count: number): AnyModule {
  let made = 0;
  const usage = { inputTokens: { total: 100 }, outputTokens: { total: 10 } };
  const answer = (content: readonly object[], unified: string) => ({
    content,
    finishReason: { unified, raw: unified },
    usage,
    warnings: [],
  });
  return {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    doGenerate: async () => {
      made += 1;
      if (made > count) return answer([{ type: 'text', text: 'done' }], 'stop');
      const call = { toolCallId: `c${made}`, toolName: 'count', input: JSON.stringify({ n: made }) };
      return answer([{ type: 'tool-call', ...call }], 'tool-calls');
    },
  };
}

function aiSdk(): Contest {
  const tools = { count: tool({ inputSchema, execute: async ({ n }) => ({ next: n + 1 }) }) };
  const options = (count: number) => ({
    model: countingModel(count),
    tools,
    prompt: 'go',
    stopWhen: stepCountIs(count + 5),
  });
  return {
    name: 'ai 6 generateText',
    bare: (count) => generateText(options(count)),
    ended: (count) => withAiSdkEnding(generateText, options(count), ours),
  };
}

async function openaiAgents(): Promise<Contest> {
  const { Agent, run, setTracingDisabled, tool: define } = await loadFramework('openai-agents', '@openai/agents');
  setTracingDisabled(true);
  const usage = { requests: 1, inputTokens: 100, outputTokens: 10, totalTokens: 110 };
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
      return { usage: { ...usage, ...details }, output: [made > count ? text : call] };
    };
    const execute = async ({ n }: { readonly n: number }) => `next ${n}`;
    const tools = [define({ name: 'count', description: 'counts', parameters: inputSchema, execute })];
    return new Agent({ name: 'bench', model: { getResponse, name: 'bench/bench' }, tools });
  };
  const options = (count: number) => ({ maxTurns: count + 5 });
  return {
    name: 'OpenAI Agents run',
    bare: (count) => run(agentOf(count), 'go', options(count)),
    ended: (count) => withAgentsEnding(run, [agentOf(count), 'go', options(count)], ours),
  };
}

/** A handler of LangChain that hears nothing: with it LangChain makes and copies managers of callbacks for every node. */
const deafListener = {
  name: 'deaf',
  ignoreLLM: true,
  ignoreChain: true,
  ignoreAgent: true,
  ignoreRetriever: true,
  ignoreCustomEvent: true,
};

async function langgraph(): Promise<Contest> {
  const { AIMessage, createAgent, tool: define } = await loadFramework('langgraph', 'langchain');
  const { BaseChatModel } = await loadFramework('langgraph', '@langchain/core/language_models/chat_models');
  const agentOf = (count: number) => {
    let made = 0;
    class CountingModel extends BaseChatModel {
      _llmType(): string {
        return 'bench';
      }
      bindTools(): this {
        return this;
      }
      async _generate(): Promise<object> {
        made += 1;
        const call = { name: 'count', args: { n: made }, id: `c${made}`, type: 'tool_call' };
        const message = new AIMessage({
          content: made > count ? 'done' : '',
          tool_calls: made > count ? [] : [call],
          usage_metadata: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
          response_metadata: { finish_reason: made > count ? 'stop' : 'tool_calls', model_name: 'bench/bench' },
        });
        return { generations: [{ text: '', message }] };
      }
    }
    const execute = async ({ n }: { readonly n: number }) => `next ${n}`;
    const tools = [define(execute, { name: 'count', description: 'counts', schema: inputSchema })];
    return createAgent({ model: new (CountingModel as AnyModule)({}), tools });
  };
  const asked = { messages: [{ role: 'user', content: 'go' }] };
  const config = (count: number) => ({ recursionLimit: count * 4 });
  return {
    name: 'LangChain createAgent',
    bare: (count) => agentOf(count).invoke(asked, config(count)),
    ended: (count) => withGraphEnding(agentOf(count), [asked, config(count)], ours),
    heard: (count) => agentOf(count).invoke(asked, { ...config(count), callbacks: [deafListener] }),
  };
}

/** The processor time of a call in microseconds per step: waiting for other processes is not the adapter's. */
async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / steps;
}

/** Times a framework alone and with an ending, in turns. The best rounds say what it costs; medians also what else the machine did. */
async function contest({ name, bare, ended, heard }: Contest): Promise<void> {
  const works = { bare, ended, ...(heard !== undefined && { heard }) };
  const times = Object.entries(works).map(([key, work]) => ({ key, work, taken: [] as number[] }));
  for (let round = 0; round < warmUps + rounds; round += 1)
    for (const { work, taken } of times) {
      const time = await timeOf(() => work(steps));
      if (round >= warmUps) taken.push(time);
    }
  const of = (key: string, pick: (taken: readonly number[]) => number): number =>
    pick(times.find((time) => time.key === key)?.taken ?? []);
  const best = (taken: readonly number[]): number => Math.min(...taken);
  const alone = of('bare', best);
  const added = of('ended', best) - alone;
  const most = Math.max(allowed.microseconds, alone * allowed.part);
  const verdict = added <= most ? 'within' : 'OVER';
  console.log(
    `${name}: ${alone.toFixed(0)} us per step alone, ${added.toFixed(0)} us added (${((100 * added) / alone).toFixed(1)}%), ${verdict} the ${most.toFixed(0)} us allowed; medians ${of('bare', median).toFixed(0)} and ${of('ended', median).toFixed(0)} us`,
  );
  if (heard !== undefined)
    console.log(`  of that ${(of('heard', best) - alone).toFixed(0)} us for a listener of its own that does nothing`);
}

/** Measures the cost that an ending adds to each step of a framework; those that are not installed are left out. */
export async function benchAdapters(): Promise<void> {
  console.log(`\nadapters: ${steps} steps with a tool each, processor time, best of ${rounds} rounds in turns`);
  await contest(aiSdk());
  if (isInstalled('openai-agents')) await contest(await openaiAgents());
  if (isInstalled('langgraph')) await contest(await langgraph());
}
