import type { AbortSignalLike } from '../../engines/port/engine.js';
import { isObject } from '../../termination/json.js';
import type { ModelAdapter, ModelCallOptions, ModelVersion } from '../language-model.js';
import type { ProviderOptions } from '../message.js';
import type { ModelRequest, ModelTool, ToolChoice } from '../model-request.js';
import { toPrompt } from './to-prompt.js';

/** The name under which a scripted or recording model learns who asks. Providers read only what is under their own. */
const ownOptions = 'fullstop';

/** Who asks, as a scripted or recording model sees it; `*` when nobody says. */
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
  abortSignal: AbortSignalLike | undefined,
): ModelCallOptions {
  const { tools, toolChoice } = request;
  const call: Record<keyof ModelCallOptions, unknown> = {
    prompt: toPrompt(request.messages, version),
    tools: tools === undefined || tools.length === 0 ? undefined : toTools(tools, version),
    toolChoice: toolChoice === undefined ? undefined : toChoice(toolChoice),
    abortSignal,
    providerOptions: optionsOf(request),
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    seed: request.seed,
    stopSequences: request.stopSequences,
    responseFormat: request.responseFormat,
    headers: request.headers,
  };
  return call as unknown as ModelCallOptions;
}

/** The options of the provider, with who asks. */
function optionsOf({ agent, providerOptions }: ModelRequest): ModelCallOptions['providerOptions'] {
  return agent === undefined ? providerOptions : withAgent(providerOptions, agent);
}

/** Options of a provider with who asks, for requests that are made again and again. */
export function withAgent(providerOptions: ProviderOptions | undefined, agent: string): ProviderOptions {
  return { ...providerOptions, [ownOptions]: { agent } };
}

function toChoice(choice: ToolChoice): { readonly type: string; readonly toolName?: string } {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };
}

type Tools = NonNullable<ModelCallOptions['tools']>;

function toTools(tools: readonly ModelTool[], version: ModelVersion): Tools {
  if (version !== 'v2' || tools.every(({ type }) => type === 'function')) return tools;
  return tools.map((tool) => (tool.type === 'provider' ? { ...tool, type: 'provider-defined' } : tool));
}
