import { withAgent } from '../../models/calls/to-call-options.js';
import type { LanguageModel } from '../../models/language-model.js';
import { readModel } from '../../models/language-model.js';
import type { ModelRequest, ModelTool } from '../../models/model-request.js';
import { createPrices, type ModelPrices } from '../../run/accounts/prices.js';
import { invalidLimit, positiveLimit, wholeLimit } from '../../stop/check-option.js';
import type { StopCondition } from '../../stop/condition.js';
import { durationLimit } from '../../stop/duration.js';
import type { ToolNames } from '../../stop/refuse-idle-conditions.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import type { RequestTerms } from '../machine/rules.js';
import { type ReadClient, readClient } from '../tools/client-tool.js';
import { type ReadSchema, readSchema } from '../tools/schema.js';
import type { ToolLike } from '../tools/tool.js';
import { unitOf } from '../tools/unit-tool.js';
import type { AnyAgentOptions, ModelRetry } from './agent-options.js';
import { checkSettingsOfModels } from './check-settings.js';
import type { Goal } from './goal.js';
import { type AgentPermissions, checkPermissions, type Permission, permissionOf, readTerms } from './permissions.js';

/** The options of an agent, checked and read once. */
export interface Prepared {
  readonly name: string;
  readonly options: AnyAgentOptions;
  readonly models: readonly LanguageModel[];
  readonly retry: Required<ModelRetry>;
  readonly goal: Goal | undefined;
  readonly roundsPerIteration: number;
  readonly output: ReadSchema | undefined;
  readonly tools: ReadonlyMap<string, PreparedTool>;
  readonly stopWhen: readonly StopCondition<string>[];
  readonly prices: ModelPrices;
  /** Everything of a request but the conversation. Made for the first call, because schemas may be asynchronous. */
  request(): Promise<Omit<ModelRequest, 'messages'>> | Omit<ModelRequest, 'messages'>;
}

export interface PreparedTool {
  readonly name: string;
  readonly tool: ToolLike;
  readonly schema: ReadSchema;
  readonly permission: Permission;
  readonly approval: RequestTerms;
  /** Set for a tool that is performed outside. */
  readonly client: ReadClient | undefined;
  readonly timeoutMs: number | undefined;
}

/** Reads the options of an agent; what cannot work is refused here, before anything starts. */
export function prepare(options: AnyAgentOptions, stopWhen: readonly StopCondition<string>[]): Prepared {
  const { name = 'agent', model, fallbackModels = [], tools = {}, output, goal, retry = {} } = options;
  const models = [model, ...fallbackModels];
  for (const each of models) readModel(each);
  checkSettingsOfModels(options);
  checkPermissions(options.permissions ?? {}, Object.keys(tools));
  const prepared = new Map(
    Object.entries(tools).map(([tool, given]) => [tool, prepareTool(tool, given, options.permissions ?? {})]),
  );
  const schema = output === undefined ? undefined : readSchema(output, 'The output schema');
  let request: Omit<ModelRequest, 'messages'> | undefined;
  return {
    name,
    options,
    models,
    retry: checkRetry(retry),
    goal,
    roundsPerIteration: checkRounds(options),
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

function prepareTool(name: string, tool: ToolLike, permissions: AgentPermissions): PreparedTool {
  const place = { builder: `The tool ${name}`, option: 'timeout' };
  const permission = permissionOf(permissions, name, tool);
  refuseHalfDone(name, tool, permission);
  return {
    name,
    tool,
    schema: readSchema(tool.inputSchema, `The input schema of ${name}`),
    permission,
    approval: readTerms(tool.approval ?? permissions.approval ?? {}, `The approval of ${name}`),
    client: readClient(name, tool),
    timeoutMs: tool.timeout === undefined ? undefined : durationLimit(tool.timeout, place),
  };
}

/** A call that a person agreed to is made once and never given up half done, so a time limit would silently not hold. */
function refuseHalfDone(name: string, tool: ToolLike, permission: Permission): void {
  const isApproved = tool.needsApproval === true || permission === 'ask';
  if (tool.timeout === undefined || !isApproved || tool.idempotent === true || unitOf(tool) !== undefined) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `The tool ${name} has a timeout, but a call that a person agreed to is never given up half done: nobody would know its outcome. Leave the timeout out, or declare the tool idempotent: true.`,
  );
}

/** With a prompt of its own an iteration that ends with the first results would never show them to the model. */
function checkRounds({ roundsPerIteration, promptFor, raiseOutputCap }: AnyAgentOptions): number {
  if (raiseOutputCap !== undefined && raiseOutputCap !== false) {
    const place = { builder: 'defineAgent', option: 'raiseOutputCap' };
    if (positiveLimit(raiseOutputCap, place) <= 1)
      throw invalidLimit(raiseOutputCap, place, 'a number above 1, or false');
  }
  if (roundsPerIteration === undefined) return promptFor === undefined ? 1 : 2;
  return wholeLimit(roundsPerIteration, { builder: 'defineAgent', option: 'roundsPerIteration' });
}

const anyTrouble = ['error', 'timeout'] as const;

function checkRetry(retry: ModelRetry): Required<ModelRetry> {
  const { attempts = 3, initialDelayMs = 500, maximumDelayMs = 30_000, on = anyTrouble } = retry;
  if (Number.isInteger(attempts) && attempts >= 1) return { attempts, initialDelayMs, maximumDelayMs, on };
  throw new FullstopError('INVALID_OPTION', `retry: attempts is ${attempts}; there must be at least 1.`);
}

interface RequestSource {
  readonly name: string;
  readonly tools: readonly PreparedTool[];
  readonly schema: ReadSchema | undefined;
}

async function requestOf(options: AnyAgentOptions, source: RequestSource): Promise<Omit<ModelRequest, 'messages'>> {
  const offered = source.tools.filter(({ permission }) => typeof permission === 'string');
  const tools = await Promise.all(offered.map(modelTool));
  const schema = await source.schema?.jsonSchema();
  const responseFormat = { type: 'json', ...(schema !== undefined && { schema }) } as const;
  const { perModel: _, ...settings } = options.settings ?? {};
  return {
    ...settings,
    providerOptions: withAgent(settings.providerOptions, source.name),
    ...(tools.length > 0 && { tools }),
    ...(source.schema !== undefined && { responseFormat }),
  };
}

async function modelTool({ name, tool, schema }: PreparedTool): Promise<ModelTool> {
  const { type, id, args = {} } = tool;
  if ((type === 'provider' || type === 'provider-defined') && id !== undefined) {
    return { type: 'provider', id, name, args: args as Readonly<Record<string, JsonValue>> };
  }
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

/** The names of the tools, with the reasons for those that may not be called. */
export function toolNames({ tools }: Prepared): ToolNames {
  const denied = [...tools].flatMap(([name, { permission }]) =>
    typeof permission === 'string' ? [] : [[name, permission.denied] as const],
  );
  return { names: [...tools.keys()], denied: new Map(denied) };
}
