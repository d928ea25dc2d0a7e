import type { LanguageModel } from '../models/language-model.js';
import { readModel } from '../models/language-model.js';
import type { ModelRequest, ModelTool } from '../models/model-request.js';
import { createPrices, type Prices } from '../run/prices.js';
import type { StopCondition } from '../stop/condition.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { AnyAgentOptions, ModelRetry } from './agent-options.js';
import type { Goal } from './goal.js';
import { type ReadSchema, readSchema } from './schema.js';
import type { ToolLike } from './tool.js';

/** The options of an agent, checked and read once. */
export interface Prepared {
  readonly name: string;
  readonly options: AnyAgentOptions;
  readonly models: readonly LanguageModel[];
  readonly retry: Required<ModelRetry>;
  readonly goal: Goal | undefined;
  readonly output: ReadSchema | undefined;
  readonly tools: ReadonlyMap<string, PreparedTool>;
  readonly stopWhen: readonly StopCondition<string>[];
  readonly prices: Prices;
  /** Everything of a request but the conversation. Made for the first call, because schemas may be asynchronous. */
  request(): Promise<Omit<ModelRequest, 'messages'>> | Omit<ModelRequest, 'messages'>;
}

export interface PreparedTool {
  readonly name: string;
  readonly tool: ToolLike;
  readonly schema: ReadSchema;
}

/** Reads the options of an agent; what cannot work is refused here, before anything starts. */
export function prepare(options: AnyAgentOptions, stopWhen: readonly StopCondition<string>[]): Prepared {
  const { name = 'agent', model, fallbackModels = [], tools = {}, output, goal, retry = {} } = options;
  const models = [model, ...fallbackModels];
  for (const each of models) readModel(each);
  const prepared = new Map(
    Object.entries(tools).map(([tool, given]) => [
      tool,
      { name: tool, tool: given, schema: readSchema(given.inputSchema, `The input schema of ${tool}`) },
    ]),
  );
  const schema = output === undefined ? undefined : readSchema(output, 'The output schema');
  let request: Omit<ModelRequest, 'messages'> | undefined;
  return {
    name,
    options,
    models,
    retry: checkRetry(retry),
    goal,
    output: schema,
    tools: prepared,
    stopWhen,
    prices: createPrices(options.prices),
    request: () => {
      if (request !== undefined) return request;
      return requestOf(options, { name, tools: [...prepared.values()], schema }).then((made) => {
        request = made;
        return made;
      });
    },
  };
}

function checkRetry({ attempts = 3, initialDelayMs = 500, maximumDelayMs = 30_000 }: ModelRetry): Required<ModelRetry> {
  if (Number.isInteger(attempts) && attempts >= 1) return { attempts, initialDelayMs, maximumDelayMs };
  throw new FullstopError('INVALID_OPTION', `retry: attempts is ${attempts}; there must be at least 1.`);
}

interface RequestSource {
  readonly name: string;
  readonly tools: readonly PreparedTool[];
  readonly schema: ReadSchema | undefined;
}

async function requestOf(options: AnyAgentOptions, source: RequestSource): Promise<Omit<ModelRequest, 'messages'>> {
  const tools = await Promise.all(source.tools.map(modelTool));
  const schema = await source.schema?.jsonSchema();
  const responseFormat = { type: 'json', ...(schema !== undefined && { schema }) } as const;
  return {
    ...options.settings,
    agent: source.name,
    ...(tools.length > 0 && { tools }),
    ...(source.schema !== undefined && { responseFormat }),
  };
}

async function modelTool({ name, tool, schema }: PreparedTool): Promise<ModelTool> {
  const inputSchema = await schema.jsonSchema();
  if (inputSchema === undefined) {
    throw new FullstopError(
      'INVALID_OPTION',
      `The input schema of ${name} cannot be written as JSON Schema. Use a library whose schemas can, or give JSON Schema.`,
    );
  }
  return {
    type: 'function',
    name,
    ...(tool.description !== undefined && { description: tool.description }),
    inputSchema,
    ...(tool.strict !== undefined && { strict: tool.strict }),
  };
}
