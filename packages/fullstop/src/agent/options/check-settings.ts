import { readModel } from '../../models/language-model.js';
import type { ReasoningEffort } from '../../models/model-request.js';
import { checkOptions, invalidOption, oneWord, wholeLimit } from '../../stop/check-option.js';
import { isObject } from '../../termination/json.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { AnyAgentOptions } from './agent-options.js';
import { type CallSettings, type ModelSettings, settingsOfModel } from './model-settings.js';

const ofCalls: Readonly<Record<keyof CallSettings, true>> = {
  frequencyPenalty: true,
  headers: true,
  maxOutputTokens: true,
  presencePenalty: true,
  providerOptions: true,
  reasoning: true,
  seed: true,
  stopSequences: true,
  temperature: true,
  topK: true,
  topP: true,
};

const callNames = Object.keys(ofCalls) as (keyof CallSettings)[];
const numbers = ['temperature', 'topP', 'topK', 'frequencyPenalty', 'presencePenalty', 'seed'] as const;
const efforts: readonly ReasoningEffort[] = ['provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh'];
const choices = ['auto', 'none', 'required'] as const;

/** Refuses settings of an agent that mean nothing. */
export function checkSettings(settings: ModelSettings, tools: readonly string[]): void {
  const builder = 'settings';
  const { toolChoice, perModel, ...own } = checkOptions(settings, builder, [...callNames, 'toolChoice', 'perModel']);
  checkCallSettings(own, builder);
  if (toolChoice !== undefined) checkToolChoice(toolChoice, builder, tools);
  if (perModel === undefined) return;
  if (!isObject(perModel)) throw invalidOption(perModel, { builder, option: 'perModel' }, 'settings by name of model');
  for (const [model, each] of Object.entries(perModel)) checkCallSettings(each, `settings.perModel[${model}]`);
}

/** Refuses settings of a call that mean nothing. */
export function checkCallSettings(settings: CallSettings, builder: string): void {
  checkOptions(settings, builder, callNames);
  const { maxOutputTokens, stopSequences, reasoning } = settings;
  if (maxOutputTokens !== undefined) wholeLimit(maxOutputTokens, { builder, option: 'maxOutputTokens' });
  for (const option of numbers) {
    const value = settings[option];
    if (value !== undefined && !Number.isFinite(value)) throw invalidOption(value, { builder, option }, 'a number');
  }
  if (stopSequences !== undefined && !isTexts(stopSequences))
    throw invalidOption(stopSequences, { builder, option: 'stopSequences' }, 'a list of texts');
  if (reasoning !== undefined) oneWord(reasoning, { builder, option: 'reasoning' }, efforts);
  for (const option of ['headers', 'providerOptions'] as const) {
    const value: unknown = settings[option];
    if (value !== undefined && !isObject(value)) throw invalidOption(value, { builder, option }, 'an object');
  }
}

/** Refuses a choice of tools that there are not. */
export function checkToolChoice(choice: unknown, builder: string, tools: readonly string[]): void {
  if (!isObject(choice)) {
    oneWord(choice, { builder, option: 'toolChoice' }, choices);
    return;
  }
  const chosen = choice['tool'];
  if (tools.includes(chosen as string)) return;
  const hint = typeof chosen === 'string' ? suggestion(chosen, tools) : '';
  throw invalidOption(chosen, { builder, option: 'toolChoice.tool' }, `the name of a tool of the agent${hint}`);
}

/** Refuses settings for models that the agent has not, and thinking where no model can be told how much. */
export function checkSettingsOfModels({ model, fallbackModels = [], settings, prepareStep }: AnyAgentOptions): void {
  const { perModel = {}, reasoning } = settings ?? {};
  const models = [model, ...fallbackModels];
  const names = models.flatMap(({ provider, modelId }) => [`${provider}/${modelId}`, modelId]);
  const builder = 'settings';
  for (const name of Object.keys(perModel)) {
    // The models that `prepareStep` chooses are not known before.
    if (prepareStep !== undefined || names.includes(name)) continue;
    const expected = `for a model of the agent: ${names.join(', ')}${suggestion(name, names)}`;
    throw invalidOption(name, { builder, option: 'perModel' }, expected);
  }
  const thinking = models.filter((each) => (settingsOfModel(perModel, each)?.reasoning ?? reasoning) !== undefined);
  if (thinking.length === 0 || prepareStep !== undefined) return;
  if (thinking.some((each) => readModel(each).version === 'v4')) return;
  const [first] = thinking;
  const { version } = readModel(first as (typeof models)[number]);
  const option = reasoning === undefined ? 'perModel' : 'reasoning';
  const expected = `left out, since ${first?.provider}/${first?.modelId} (${version}) has no such setting: use the options of its provider, in providerOptions`;
  throw invalidOption(reasoning ?? perModel, { builder, option }, expected);
}

function isTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((each) => typeof each === 'string');
}
