import { property } from '../core/thrown-cause.js';
import type { AgentModel, AgentModelResponse, AgentUsage } from './structure.js';

/** Hears of the tokens of every model call. */
export type OnUsage = (usage: AgentUsage | undefined) => void;

/** The same agent with its model watched, where it has a model and not just the name of one. */
export function watchAgent(agent: unknown, onUsage: OnUsage): unknown {
  const model = property(agent, 'model');
  const clone = property(agent, 'clone');
  if (typeof clone !== 'function' || !isModel(model)) return agent;
  return Reflect.apply(clone, agent, [{ model: watchModel(model, onUsage) }]);
}

/** The same runner with the models of its provider watched. */
export function watchRunner(runner: object, onUsage: OnUsage): object {
  const config = property(runner, 'config');
  const provider = property(config, 'modelProvider');
  const getModel = property(provider, 'getModel');
  if (typeof getModel !== 'function') return runner;
  const modelProvider = {
    getModel: async (name?: string): Promise<unknown> => {
      const model: unknown = await Reflect.apply(getModel, provider, [name]);
      return isModel(model) ? watchModel(model, onUsage) : model;
    },
  };
  const Runner = runner.constructor as new (config: object) => object;
  return new Runner({ ...(config as object), modelProvider });
}

function isModel(model: unknown): model is AgentModel {
  return typeof property(model, 'getResponse') === 'function';
}

function watchModel(model: AgentModel, onUsage: OnUsage): AgentModel {
  return new Proxy(model, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'getResponse') {
        return async (request: unknown): Promise<AgentModelResponse> => {
          const response = await target.getResponse(request);
          onUsage(response.usage);
          return response;
        };
      }
      if (name === 'getStreamedResponse')
        return (request: unknown): AsyncIterable<unknown> => watchEvents(target.getStreamedResponse(request), onUsage);
      return value.bind(target) as unknown;
    },
  });
}

async function* watchEvents(events: AsyncIterable<unknown>, onUsage: OnUsage): AsyncGenerator<unknown> {
  for await (const event of events) {
    if (property(event, 'type') === 'response_done')
      onUsage(property(property(event, 'response'), 'usage') as AgentUsage | undefined);
    yield event;
  }
}
