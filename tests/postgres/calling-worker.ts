import { defineAgent } from '../../packages/fullstop/src/agent/define-agent.js';
import { dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import type { LanguageModel } from '../../packages/fullstop/src/models/language-model.js';

// A program of its own: a worker whose agents ask a provider on this machine. One of them tells it before the model is asked.

const [url = '', schema = '', name = '', provider = '', scheduler = ''] = process.argv.slice(2);

/** A model that is asked by HTTP; a status that is no success is thrown as clients of providers do. */
function modelOf(family: string): LanguageModel {
  const doGenerate: LanguageModel['doGenerate'] = async ({ abortSignal }) => {
    const response = await fetch(`${provider}/${family}/${name}`, { signal: abortSignal as AbortSignal });
    if (!response.ok)
      throw Object.assign(new Error(await response.text()), {
        statusCode: response.status,
        responseHeaders: Object.fromEntries(response.headers),
      });
    return {
      content: [{ type: 'text', text: await response.text() }],
      finishReason: 'stop',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      warnings: [],
    };
  };
  const doStream: LanguageModel['doStream'] = () => Promise.reject(new Error('Nobody listens.'));
  return { specificationVersion: 'v2', provider: family, modelId: 'one', doGenerate, doStream };
}

const tell = async (): Promise<undefined> => {
  await fetch(`${provider}/about-to-ask/${name}`);
  return undefined;
};
const limited = defineAgent({ name: `limited-${name}`, model: modelOf('acme'), hooks: { beforeModel: tell } });
const free = defineAgent({ name: `free-${name}`, model: modelOf('other') });
const options = { url, schema, connections: 3, pollMs: 50, providerLimits: { acme: { concurrency: 1 } } };
const engine = scheduler === 'dbos' ? dbosEngine({ ...options, queuePollMs: 20 }) : postgresEngine(options);
engine.worker([limited, free]);
process.stdout.write('working\n');
