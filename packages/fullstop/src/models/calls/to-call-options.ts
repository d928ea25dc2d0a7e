import type { AbortSignalLike } from '../../engines/port/engine.js';
import { isObject } from '../../termination/json.js';
import type { ModelAdapter, ModelCallOptions } from '../language-model.js';
import type { ProviderOptions } from '../message.js';
import type { ModelRequest, ModelTool, ToolChoice } from '../model-request.js';
import { type KnownPrompts, toPrompt } from './to-prompt.js';

/** The name of the options by which a scripted or recording model knows who asks. Providers read only those of their own name. */
const ownOptions = 'fullstop';

/** The name of the agent that asks, as a scripted or recording model sees it; `*` when it has none. */
export function agentOf({ providerOptions }: ModelCallOptions): string {
  const own = providerOptions?.[ownOptions];
  const agent = isObject(own) ? own['agent'] : undefined;
  return typeof agent === 'string' ? agent : '*';
}

/**
 * Our request in the form of the model's version. One literal with all members, the undefined ones too: it is made for every
 * call, and objects that are put together from what is there are many times slower.
 */
export function toCallOptions(
  { version }: ModelAdapter,
  request: ModelRequest,
  { signal, prompts }: { readonly signal?: AbortSignalLike | undefined; readonly prompts?: KnownPrompts | undefined },
): ModelCallOptions {
  const { toolChoice, agent, providerOptions } = request;
  const tools = request.tools?.length === 0 ? undefined : request.tools;
  const call: Record<keyof ModelCallOptions, unknown> = {
    prompt: toPrompt(request.messages, version, prompts),
    tools: version === 'v2' && tools !== undefined ? toolsOfV2(tools) : tools,
    toolChoice: toolChoice === undefined ? undefined : toChoice(toolChoice),
    abortSignal: signal,
    providerOptions: agent === undefined ? providerOptions : withAgent(providerOptions, agent),
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    frequencyPenalty: request.frequencyPenalty,
    presencePenalty: request.presencePenalty,
    seed: request.seed,
    stopSequences: request.stopSequences,
    responseFormat: request.responseFormat,
    // Older versions have no such option, and `prepare` refuses it where no model has.
    reasoning: version === 'v4' ? request.reasoning : undefined,
    headers: request.headers,
  };
  return call as unknown as ModelCallOptions;
}

/** The options of a provider with the name of the agent that asks. */
export function withAgent(providerOptions: ProviderOptions | undefined, agent: string): ProviderOptions {
  return { ...providerOptions, [ownOptions]: { agent } };
}

function toChoice(choice: ToolChoice): { readonly type: string; readonly toolName?: string } {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };
}

type Tools = NonNullable<ModelCallOptions['tools']>;

function toolsOfV2(tools: readonly ModelTool[]): Tools {
  return tools.map((tool) => (tool.type === 'provider' ? { ...tool, type: 'provider-defined' } : tool));
}
