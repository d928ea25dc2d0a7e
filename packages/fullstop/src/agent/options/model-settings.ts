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

/** A request with other settings: member by member, where headers and the options of a provider are joined. */
export function withSettings<TRequest extends Omit<ModelRequest, 'messages'>>(
  request: TRequest,
  settings: CallSettings | undefined,
): TRequest {
  if (settings === undefined) return request;
  const { headers, providerOptions, ...rest } = settings;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...request,
    ...given,
    ...(headers !== undefined && { headers: { ...request.headers, ...headers } }),
    ...(providerOptions !== undefined && { providerOptions: joinOptions(request.providerOptions, providerOptions) }),
  };
}

function joinOptions(one: ProviderOptions = {}, other: ProviderOptions): ProviderOptions {
  const joined = Object.entries(other).map(([provider, options]) => [provider, { ...one[provider], ...options }]);
  return { ...one, ...(Object.fromEntries(joined) as ProviderOptions) };
}
