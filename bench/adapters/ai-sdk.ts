import { withEnding } from 'fullstop/adapters/ai-sdk';
import type { AnyModule } from '../../tests/adapters/load-framework.js';
import { type Contest, countToolRun, inputSchema, ours } from './contest.js';

function countingModel(count: number): AnyModule {
  let made = 0;
  const answer = (content: readonly object[], unified: string) => ({
    content,
    finishReason: { unified, raw: unified },
    usage: { inputTokens: { total: 100 + made }, outputTokens: { total: 10 } },
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

/** `generateText` of one version of the AI SDK; all rows have the same stop condition of its own. `adapt` makes a model of the kind that the version accepts. */
export function aiSdkContest(
  name: string,
  ai: AnyModule,
  adapt: (model: AnyModule) => AnyModule = (model) => model,
): Contest {
  const { generateText, stepCountIs, tool } = ai;
  const execute = async ({ n }: { readonly n: number }) => {
    countToolRun();
    return { next: n + 1 };
  };
  const tools = { count: tool({ inputSchema, execute }) };
  const options = (count: number) => ({
    model: adapt(countingModel(count)),
    tools,
    prompt: 'go',
    stopWhen: stepCountIs(count + 5),
  });
  return {
    name,
    bare: (count) => generateText(options(count)),
    plain: (count) => withEnding(generateText, options(count)),
    ended: (count) => withEnding(generateText, options(count), ours),
  };
}

interface ToldStep {
  readonly steps: readonly object[];
}

/** A loop that only tells its steps: what an adapter costs by itself, without a framework that cools its caches. */
export function emptyContest(): Contest {
  const loop = async ({ count, stopWhen }: { count: number; stopWhen: (told: ToldStep) => unknown }) => {
    const steps: object[] = [];
    const messages: object[] = [];
    for (let n = 1; n <= count; n += 1) {
      countToolRun();
      const call = { toolCallId: `c${n}`, toolName: 'count', input: { n } };
      const output = { next: n + 1 };
      messages.push({ role: 'assistant', content: [{ type: 'tool-call', ...call }] });
      messages.push({ role: 'tool', content: [{ type: 'tool-result', ...call, output }] });
      const content = [
        { type: 'tool-call', ...call },
        { type: 'tool-result', ...call, output },
      ];
      const response = { modelId: 'bench', messages: messages.slice() };
      const usage = { inputTokens: 100 + n, outputTokens: 10 };
      steps.push({ text: '', finishReason: 'tool-calls', usage, content, toolCalls: [call], response });
      if (await stopWhen({ steps })) break;
    }
    messages.push({ role: 'assistant', content: 'done' });
    const response = { modelId: 'bench', messages };
    const content = [{ type: 'text', text: 'done' }];
    const usage = { inputTokens: 100, outputTokens: 10 };
    steps.push({ text: 'done', finishReason: 'stop', usage, content, toolCalls: [], response });
    return { steps };
  };
  const options = (count: number) => ({
    count,
    model: { specificationVersion: 'v3', provider: 'bench', modelId: 'bench' },
    prompt: 'go',
    stopWhen: ({ steps }: ToldStep) => steps.length === count + 5,
  });
  return {
    name: 'a loop that costs nothing',
    bare: (count) => loop(options(count)),
    plain: (count) => withEnding(loop as AnyModule, options(count)),
    ended: (count) => withEnding(loop as AnyModule, options(count), ours),
  };
}
