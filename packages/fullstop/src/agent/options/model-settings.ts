import type { ProviderOptions } from '../../models/message.js';
import type { ModelRequest, ReasoningEffort, ToolChoice } from '../../models/model-request.js';

/** Settings that go to a model as they are: those of the AI SDK. */
export interface CallSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  /** How much the model thinks; for models of AI SDK 7 (v4). Older ones have options of their provider for it. */
  readonly reasoning?: ReasoningEffort;
  readonly headers?: Readonly<Record<string, string>>;
  readonly providerOptions?: ProviderOptions;
}

/** The settings of an agent. */
export interface ModelSettings extends CallSettings {
  readonly toolChoice?: ToolChoice;
  /** Other settings for some of the models, by the name that they have in prices: `provider/model`, or just the model's. */
  readonly perModel?: Readonly<Record<string, CallSettings>>;
}

/** The settings of one model, if it has its own. */
export function settingsOfModel(
  perModel: ModelSettings['perModel'],
  { provider, modelId }: { readonly provider: string; readonly modelId: string },
): CallSettings | undefined {
  return perModel?.[`${provider}/${modelId}`] ?? perModel?.[modelId];
}

/** A request with other settings: member by member, where headers and the options of a provider are joined. Spelled out, because it is made for every call that has some. */
export function withSettings(request: ModelRequest, settings: CallSettings | undefined): ModelRequest {
  if (settings === undefined) return request;
  const { headers, providerOptions } = settings;
  const changed: Record<keyof ModelRequest, unknown> = {
    messages: request.messages,
    tools: request.tools,
    toolChoice: request.toolChoice,
    maxOutputTokens: settings.maxOutputTokens ?? request.maxOutputTokens,
    temperature: settings.temperature ?? request.temperature,
    topP: settings.topP ?? request.topP,
    topK: settings.topK ?? request.topK,
    frequencyPenalty: settings.frequencyPenalty ?? request.frequencyPenalty,
    presencePenalty: settings.presencePenalty ?? request.presencePenalty,
    seed: settings.seed ?? request.seed,
    stopSequences: settings.stopSequences ?? request.stopSequences,
    responseFormat: request.responseFormat,
    reasoning: settings.reasoning ?? request.reasoning,
    headers: headers === undefined ? request.headers : { ...request.headers, ...headers },
    providerOptions:
      providerOptions === undefined ? request.providerOptions : joinOptions(request.providerOptions, providerOptions),
    agent: request.agent,
  };
  return changed as unknown as ModelRequest;
}

function joinOptions(one: ProviderOptions = {}, other: ProviderOptions): ProviderOptions {
  const joined = Object.entries(other).map(([provider, options]) => [provider, { ...one[provider], ...options }]);
  return { ...one, ...(Object.fromEntries(joined) as ProviderOptions) };
}
