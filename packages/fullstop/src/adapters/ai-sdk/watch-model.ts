import { host, type StreamLike } from '../../engines/port/host.js';

/** Notified where the AI SDK is silent: a model's stream that breaks off, and one that nobody reads any more. */
export interface StreamWatch {
  onBroken(error: unknown): void;
  onLeft(reason: unknown): void;
}

/** The same model with its streams watched; a model that is only a name stays as it is. */
export function watchModel(model: unknown, watch: StreamWatch): unknown {
  if (typeof model !== 'object' || model === null) return model;
  return new Proxy(model, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'doStream') return value.bind(target) as unknown;
      return async (...given: readonly unknown[]): Promise<unknown> => {
        const answer = (await Reflect.apply(value, target, given)) as { readonly stream: StreamLike };
        return { ...answer, stream: watchStream(answer.stream, watch) };
      };
    },
  });
}

function watchStream(stream: StreamLike, watch: StreamWatch): StreamLike {
  const reader = stream.getReader();
  return new host.ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        watch.onBroken(error);
        controller.error(error);
      }
    },
    cancel(reason) {
      watch.onLeft(reason);
      return reader.cancel(reason);
    },
  });
}
