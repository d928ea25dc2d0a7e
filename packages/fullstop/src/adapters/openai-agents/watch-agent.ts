import { property } from '../core/thrown-cause.js';
import { finishIn } from './read-finish.js';
import type { AgentItem, AgentModel, AgentModelResponse } from './structure.js';

/** Hears of every model call. */
export interface ModelListener {
  /** Before the call, where that is the door of the run: what it throws, the call throws. */
  readonly before: ((items: readonly AgentItem[]) => Promise<void>) | undefined;
  readonly after: (response: AgentModelResponse) => void;
  /** The provider's word for why the answer ended, also where the SDK throws it away together with the answer. */
  readonly finished: (word: string | undefined) => void;
}

/** The same agent with its model watched, where it has a model and not just the name of one. */
export function watchAgent(agent: unknown, listener: ModelListener): unknown {
  const model = property(agent, 'model');
  const clone = property(agent, 'clone');
  if (typeof clone !== 'function' || !isModel(model)) return agent;
  return Reflect.apply(clone, agent, [{ model: watchModel(model, listener) }]);
}

/** The same runner with the models of its provider watched. */
export function watchRunner(runner: object, listener: ModelListener): object {
  const config = property(runner, 'config');
  const provider = property(config, 'modelProvider');
  const getModel = property(provider, 'getModel');
  if (typeof getModel !== 'function') return runner;
  const modelProvider = {
    getModel: async (name?: string): Promise<unknown> => {
      const model: unknown = await Reflect.apply(getModel, provider, [name]);
      return isModel(model) ? watchModel(model, listener) : model;
    },
  };
  const Runner = runner.constructor as new (config: object) => object;
  return new Runner({ ...(config as object), modelProvider });
}

/** True when every model call of the agent's run can be heard at its model: nobody else is handed the conversation. */
export function isHeardAtModel(agent: unknown): boolean {
  const handoffs = property(agent, 'handoffs');
  return isModel(property(agent, 'model')) && (!Array.isArray(handoffs) || handoffs.length === 0);
}

function isModel(model: unknown): model is AgentModel {
  return typeof property(model, 'getResponse') === 'function';
}

function watchModel(model: AgentModel, listener: ModelListener): AgentModel {
  return new Proxy(model, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'getResponse') {
        return async (request: unknown): Promise<AgentModelResponse> => {
          await listener.before?.(itemsIn(request));
          const response = await target.getResponse(request);
          listener.finished(finishIn(response.providerData));
          listener.after(response);
          return response;
        };
      }
      if (name === 'getStreamedResponse')
        return (request: unknown): AsyncIterable<unknown> => watchEvents(target, request, listener);
      return value.bind(target) as unknown;
    },
  });
}

async function* watchEvents(
  model: AgentModel,
  request: unknown,
  listener: ModelListener,
): AsyncGenerator<unknown, void, undefined> {
  await listener.before?.(itemsIn(request));
  for await (const event of model.getStreamedResponse(request)) {
    const type = property(event, 'type');
    const word = type === 'model' ? finishIn(property(event, 'event')) : undefined;
    if (word !== undefined) listener.finished(word);
    const response = type === 'response_done' ? property(event, 'response') : undefined;
    if (response !== undefined) listener.after(response as AgentModelResponse);
    yield event;
  }
}

function itemsIn(request: unknown): readonly AgentItem[] {
  const input = property(request, 'input');
  return Array.isArray(input) ? input : [];
}
