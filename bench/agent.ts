import { generateText, type LanguageModel, stepCountIs, tool } from 'ai';
import {
  type AgentOptions,
  consecutiveErrors,
  consecutiveMistakes,
  defineAgent,
  loopDetection,
  maxIterations,
  maxToolCalls,
  noProgress,
  stallDetection,
  tokenBudget,
} from 'fullstop';
import { z } from 'zod';

const sizes = [50, 200, 800, 3_200, 12_800] as const;
const rounds = 7;
const peerSize = 200;

interface CallOptions {
  readonly prompt: readonly unknown[];
}

const inputSchema = z.object({ n: z.number() });
const step = tool({ description: 'Counts', inputSchema, execute: async ({ n }) => ({ next: n + 1 }) });

/** Asks for the tool so many times, then answers; the count differs every time, so that no detector fires. */
function countingModel(calls: number) {
  let made = 0;
  const answer = (content: readonly object[], finish: string) => ({
    content,
    finishReason: { unified: finish, raw: finish },
    usage: {
      inputTokens: { total: 100 + (made % 7) * 40, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 10 + (made % 5) * 30, text: undefined, reasoning: undefined },
    },
    warnings: [],
  });
  return {
    specificationVersion: 'v3' as const,
    provider: 'bench',
    modelId: 'counting',
    supportedUrls: {},
    async doGenerate(_options: CallOptions) {
      if (made === calls) return answer([{ type: 'text', text: 'done' }], 'stop');
      made += 1;
      const input = JSON.stringify({ n: made });
      return answer([{ type: 'tool-call', toolCallId: `call_${made}`, toolName: 'step', input }], 'tool-calls');
    },
    doStream(): never {
      throw new Error('nobody streams here');
    },
  };
}

async function bareLoop(calls: number): Promise<void> {
  const model = countingModel(calls);
  const messages: object[] = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
  for (;;) {
    const { content } = await model.doGenerate({ prompt: messages });
    messages.push({ role: 'assistant', content });
    const [part] = content as readonly { readonly type: string; readonly toolCallId: string; readonly input: string }[];
    if (part?.type !== 'tool-call') return;
    const checked = inputSchema.parse(JSON.parse(part.input));
    const value = { next: checked.n + 1 };
    const { toolCallId } = part;
    messages.push({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName: 'step', output: { type: 'json', value } }],
    });
  }
}

async function agentLoop(calls: number): Promise<void> {
  const agent = defineAgent({
    model: countingModel(calls) as unknown as AgentOptions['model'],
    tools: { step },
    stopWhen: [
      maxIterations(calls + 2),
      maxToolCalls(calls + 2),
      tokenBudget({ total: 1_000_000_000 }),
      loopDetection(),
      stallDetection(),
      noProgress(3),
      consecutiveErrors(3),
      consecutiveMistakes(3),
    ],
  });
  const result = await agent.run('go');
  if (result.termination.kind !== 'natural_end' || result.toolCalls.length !== calls) {
    throw new Error(`the agent ended as ${result.termination.kind} after ${result.toolCalls.length} calls`);
  }
}

async function peerLoop(calls: number): Promise<void> {
  const model = countingModel(calls) as unknown as LanguageModel;
  const { steps } = await generateText({ model, tools: { step }, prompt: 'go', stopWhen: stepCountIs(calls + 2) });
  if (steps.length !== calls + 1) throw new Error(`the peer made ${steps.length} steps`);
}

/** One model call and one tool call per step, journal and detectors on, against a bare loop and against the AI SDK. */
export async function benchAgent(): Promise<void> {
  console.log('\nagent: one model call and one tool call per step (best of 7, us per step)');
  // Compiled code is what is measured, in the short runs too.
  await Promise.all([best(bareLoop, 800), best(agentLoop, 800)]);
  for (const size of sizes) {
    const [bare, agent] = [await best(bareLoop, size), await best(agentLoop, size)];
    console.log(
      `  ${String(size).padStart(6)} steps  bare ${shown(bare)}  agent ${shown(agent)}  ${(agent / bare).toFixed(1)}x`,
    );
  }
  const [agent, peer] = [await best(agentLoop, peerSize), await best(peerLoop, peerSize)];
  console.log(
    `  ${peerSize} steps: ai generateText ${shown(peer)}, ${(peer / agent).toFixed(0)}x the time of the agent`,
  );
}

function shown(microseconds: number): string {
  return `${microseconds.toFixed(2).padStart(8)} us`;
}

async function best(loop: (calls: number) => Promise<void>, calls: number): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await loop(calls);
    shortest = Math.min(shortest, ((performance.now() - start) * 1000) / calls);
  }
  return shortest;
}
