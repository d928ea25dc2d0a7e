import { streamWithEnding, withEnding } from '../../../packages/fullstop/src/adapters/openai-agents/index.js';
import { fakeOpenaiApi, type UnfinishedAnswer } from '../fakes/openai-api.js';
import type { AnyModule } from '../load-framework.js';
import { thrownWords } from '../own-words.js';
import type { FrameworkScenes, Lived } from '../situation.js';

interface Way {
  readonly api: 'Responses' | 'Chat Completions';
  readonly streams?: boolean;
}

/** Answers that OpenAI does not finish, through the SDK's own models: each of its two protocols has them in another form. */
export function unfinishedScenes(sdk: AnyModule): FrameworkScenes {
  const live = async (answer: UnfinishedAnswer, { api, streams = false }: Way): Promise<Lived> => {
    const server = await fakeOpenaiApi(answer);
    try {
      const provider = new sdk.OpenAIProvider({
        apiKey: 'none',
        baseURL: server.url,
        useResponses: api === 'Responses',
      });
      const agent = new sdk.Agent({ name: 'helper', model: await provider.getModel('gpt-fake') });
      return streams ? await streamed(sdk.run, agent) : await called(sdk.run, agent);
    } finally {
      await server.close();
    }
  };
  const begun = 'Once upon';
  return {
    length: [
      () => live({ text: begun, reason: 'length' }, { api: 'Responses' }),
      () => live({ text: begun, reason: 'length' }, { api: 'Responses', streams: true }),
      () => live({ text: begun, reason: 'length' }, { api: 'Chat Completions' }),
      () => live({ text: begun, reason: 'length' }, { api: 'Chat Completions', streams: true }),
      () => live({ text: '', reason: 'length' }, { api: 'Chat Completions' }),
    ],
    filter: [
      () => live({ text: begun, reason: 'filter' }, { api: 'Responses' }),
      () => live({ text: begun, reason: 'filter' }, { api: 'Responses', streams: true }),
      () => live({ text: begun, reason: 'filter' }, { api: 'Chat Completions' }),
      () => live({ text: '', reason: 'filter' }, { api: 'Chat Completions' }),
      () => live({ text: '', reason: 'rejected' }, { api: 'Responses' }),
    ],
  };
}

async function called(run: AnyModule, agent: object): Promise<Lived> {
  const { termination, result, error } = await withEnding(run, [agent, 'go']);
  const says = error === undefined ? wordsOf(result) : thrownWords(error);
  return { termination, says };
}

async function streamed(run: AnyModule, agent: object): Promise<Lived> {
  const { result, ending } = await streamWithEnding(run, [agent, 'go', { stream: true }]);
  let thrown: unknown;
  try {
    for await (const _event of result as AsyncIterable<unknown>);
  } catch (error) {
    thrown = error;
  }
  const { termination } = await ending;
  return { termination, says: `stream: ${thrown === undefined ? wordsOf(result) : thrownWords(thrown)}` };
}

function wordsOf(result: AnyModule): string {
  return `finalOutput ${JSON.stringify(result.finalOutput)}`;
}
