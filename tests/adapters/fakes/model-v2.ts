import type { AnyModule } from '../load-framework.js';

/** A model of specification v3 as one of v2, the only one that ai 5 accepts: its finish and its usage are flat. */
export function asModelV2(model: AnyModule): AnyModule {
  const flat = ({ finishReason, usage, ...rest }: AnyModule): AnyModule => {
    const { unified } = finishReason;
    const inputTokens = usage?.inputTokens?.total;
    const outputTokens = usage?.outputTokens?.total;
    const totalTokens = inputTokens === undefined ? undefined : inputTokens + (outputTokens ?? 0);
    return { ...rest, finishReason: unified, usage: { inputTokens, outputTokens, totalTokens } };
  };
  return {
    specificationVersion: 'v2',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: {},
    doGenerate: async (options: object) => flat(await model.doGenerate(options)),
    doStream: async (options: object) => {
      const { stream, ...rest } = await model.doStream(options);
      const flatten = new TransformStream({
        transform: (part: AnyModule, controller) => controller.enqueue(part.type === 'finish' ? flat(part) : part),
      });
      return { ...rest, stream: stream.pipeThrough(flatten) };
    },
  };
}
