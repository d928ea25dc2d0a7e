import { host, type StreamLike } from '../engines/port/host.js';
import type { LanguageModel, ModelCallOptions, ModelVersion } from './language-model.js';
import type { ScriptedModel } from './scripted/scripted-model.js';

type Fields = Record<string, unknown>;

export const versions: readonly ModelVersion[] = ['v2', 'v3', 'v4'];

/** The same model as one of another version, with the differences that matter to us. */
export function asVersion(model: ScriptedModel, version: ModelVersion): LanguageModel {
  if (version === 'v3') return model;
  const translate = version === 'v2' ? toVersion2 : (fields: Fields): Fields => fields;
  return {
    specificationVersion: version,
    provider: model.provider,
    modelId: model.modelId,
    doGenerate: async (options) => {
      const result = translate({ ...(await model.doGenerate(options)) });
      return version === 'v4' ? withNewParts(result) : (result as never);
    },
    doStream: async (options) => {
      const { stream } = await model.doStream(options);
      return { stream: mapStream(stream, (part) => (part['type'] === 'finish' ? translate(part) : part), version) };
    },
  };
}

function toVersion2(fields: Fields): Fields {
  const { finishReason, usage } = fields as {
    finishReason: { unified: string };
    usage: { inputTokens: Fields; outputTokens: Fields };
  };
  return {
    ...fields,
    finishReason: finishReason.unified,
    usage: {
      inputTokens: usage.inputTokens['total'],
      outputTokens: usage.outputTokens['total'],
      totalTokens: undefined,
      reasoningTokens: usage.outputTokens['reasoning'],
      cachedInputTokens: usage.inputTokens['cacheRead'],
    },
  };
}

/** Parts that only v4 has and that nobody needs. */
function withNewParts(result: Fields): never {
  const content = [{ type: 'reasoning-file', mediaType: 'image/png' }, ...(result['content'] as Fields[])];
  return { ...result, content } as never;
}

function mapStream(stream: StreamLike, map: (part: Fields) => Fields, version: ModelVersion): StreamLike {
  const reader = stream.getReader();
  return new host.ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (version === 'v4') controller.enqueue({ type: 'ping' });
      if (done) controller.close();
      else controller.enqueue(map(value as Fields));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** A stream of these parts. */
export function streamOf(parts: readonly unknown[]): StreamLike {
  const rest = [...parts];
  return new host.ReadableStream({
    pull(controller) {
      if (rest.length === 0) controller.close();
      else controller.enqueue(rest.shift());
    },
  });
}

/** A model of v3 that answers exactly this. */
export function fixedModel(answer: {
  readonly result?: unknown;
  readonly parts?: readonly unknown[];
  readonly onCall?: (options: ModelCallOptions) => void;
}): LanguageModel {
  return {
    specificationVersion: 'v3',
    provider: 'fixed',
    modelId: 'fixed-1',
    async doGenerate(options) {
      answer.onCall?.(options);
      return answer.result as never;
    },
    async doStream(options) {
      answer.onCall?.(options);
      return { stream: streamOf(answer.parts ?? []) };
    },
  };
}
