import type { AbortSignalLike } from '../engines/port/engine.js';
import { isObject } from '../termination/json.js';
import type { ModelAdapter, ModelCallOptions, ModelVersion } from './language-model.js';
import type { ModelRequest, ModelTool, ToolChoice } from './model-request.js';
import { toPrompt } from './to-prompt.js';

/** The name under which we tell a scripted or recording model who asks. Providers read only what is under their own. */
const ownOptions = 'fullstop';

/** Who asks, as a scripted or recording model sees it; `*` when nobody says. */
export function agentOf({ providerOptions }: ModelCallOptions): string {
  const own = providerOptions?.[ownOptions];
  const agent = isObject(own) ? own['agent'] : undefined;
  return typeof agent === 'string' ? agent : '*';
}

/** Our request in the form of the model's version. Written out field by field, since it is made for every call. */
export function toCallOptions(
  { version }: ModelAdapter,
  request: ModelRequest,
  abortSignal: AbortSignalLike | undefined,
): ModelCallOptions {
  const { messages, tools, toolChoice, agent, providerOptions } = request;
  const call: Mutable<ModelCallOptions> = { prompt: toPrompt(messages, version) };
  if (tools !== undefined && tools.length > 0) call.tools = toTools(tools, version);
  if (toolChoice !== undefined) call.toolChoice = toChoice(toolChoice);
  if (abortSignal !== undefined) call.abortSignal = abortSignal;
  if (agent !== undefined) call.providerOptions = { ...providerOptions, [ownOptions]: { agent } };
  else if (providerOptions !== undefined) call.providerOptions = providerOptions;
  for (const name of settings) {
    if (request[name] !== undefined) Object.assign(call, { [name]: request[name] });
  }
  return call;
}

type Mutable<T> = { -readonly [P in keyof T]: T[P] };

/** What every version takes as it is. */
const settings = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'stopSequences',
  'responseFormat',
  'headers',
] as const satisfies readonly (keyof ModelRequest)[];

function toChoice(choice: ToolChoice): { readonly type: string; readonly toolName?: string } {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };
}

type Tools = NonNullable<ModelCallOptions['tools']>;

function toTools(tools: readonly ModelTool[], version: ModelVersion): Tools {
  if (version !== 'v2' || tools.every(({ type }) => type === 'function')) return tools;
  return tools.map((tool) => (tool.type === 'provider' ? { ...tool, type: 'provider-defined' } : tool));
}
