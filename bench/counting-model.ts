/** The source of a model for programs of their own: it asks for the tool `step` so many times, then answers. */
export const countingModel: string = `
import { z } from 'zod';
const inputSchema = z.object({ n: z.number() });
const countingModel = (specificationVersion, calls) => {
  let made = 0;
  const answer = (content, finish) => ({
    content,
    finishReason: { unified: finish, raw: finish },
    usage: {
      inputTokens: { total: 100 + made * 40, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 10 + made * 30, text: undefined, reasoning: undefined },
    },
    warnings: [],
  });
  return {
    specificationVersion, provider: 'bench', modelId: 'counting', supportedUrls: {},
    async doGenerate() {
      if (made === calls) return answer([{ type: 'text', text: 'done' }], 'stop');
      made += 1;
      const input = JSON.stringify({ n: made });
      return answer([{ type: 'tool-call', toolCallId: 'call_' + made, toolName: 'step', input }], 'tool-calls');
    },
    doStream() { throw new Error('nobody streams here'); },
  };
};
`;
