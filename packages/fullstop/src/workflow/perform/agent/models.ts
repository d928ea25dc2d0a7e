import type { LanguageModel } from '../../../models/language-model.js';
import { accessProblem, type LoadModelOptions, loadModel, providerNames } from '../../../models/providers/provider.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { providerOf } from '../../schema/provider-of.js';
import type { ProviderSettings } from '../../schema/record-types.js';
import type { Environment, ModelChoice } from '../environment.js';
import { accessOf } from './provider-access.js';

/** Which model an agent asks for, as the file says it. */
export interface WantedModel {
  /** The provider of the step, if it names one. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The provider of the file. */
  readonly settings: ProviderSettings;
}

const usualModels: Readonly<Record<string, string>> = { openai: 'gpt-5-mini', anthropic: 'claude-3-5-sonnet-latest' };

/** The model for an agent: what the run was given first, then what the file names. */
export async function findModel(wanted: WantedModel, environment: Environment): Promise<LanguageModel> {
  if (environment.model !== undefined) return made(environment.model, environment);
  const provider = wanted.provider ?? environment.provider ?? wanted.settings.name;
  const model = modelOf(wanted, environment);
  const mapped = mappedModel(environment, provider, model);
  if (mapped !== undefined) return made(mapped, environment);
  const settings = settingsFor(provider, wanted);
  const known = providerOf(provider, settings);
  const problem = unavailable(provider, known, model);
  if (problem !== undefined) throw problem;
  return load(`${known}/${model ?? usualModels[known]}`, environment, settings);
}

/** A name that the run was given counts for every agent; a default only where the file names none. */
function modelOf(wanted: WantedModel, { modelName, defaultModel }: Environment): string | undefined {
  return modelName ?? wanted.model ?? defaultModel;
}

/** Why an agent could not ask its model, as far as that is known before it does. */
export function modelProblem(wanted: WantedModel, environment: Environment): FullstopError | undefined {
  if (environment.model !== undefined) return undefined;
  const provider = wanted.provider ?? environment.provider ?? wanted.settings.name;
  const model = modelOf(wanted, environment);
  // The text of a template may be mapped to a model too.
  if (model?.includes('{') && environment.models !== undefined) return undefined;
  const mapped = mappedModel(environment, provider, model);
  if (mapped !== undefined) return typeof mapped === 'string' ? keyProblem(mapped, environment) : undefined;
  const settings = settingsFor(provider, wanted);
  const known = providerOf(provider, settings);
  return (
    unavailable(provider, known, model) ?? keyProblem(`${known}/${model ?? usualModels[known]}`, environment, settings)
  );
}

/** A key or an address that is not there is known before anything is started. */
function keyProblem(name: string, environment: Environment, settings?: ProviderSettings): FullstopError | undefined {
  const { env } = environment;
  if (environment.loadModel !== undefined) return undefined;
  if (settings === undefined) return accessProblem(name, { env });
  const access = accessOfName(name, environment, settings);
  return accessProblem(access.name, { env, ...access.options });
}

/** The settings of the file are for the provider that it names. */
function settingsFor(provider: string, { settings }: WantedModel): ProviderSettings {
  return provider === settings.name ? settings : ({ name: provider } as ProviderSettings);
}

/** The name by which the price of a model is looked up; undefined where only the run can say, or no model is asked. */
export function pricedName(wanted: WantedModel, environment: Environment): string | undefined {
  const provider = wanted.provider ?? environment.provider ?? wanted.settings.name;
  const model = modelOf(wanted, environment);
  const choice = environment.model ?? mappedModel(environment, provider, model);
  if (typeof choice === 'string') return choice;
  if (choice !== undefined) return choice.provider === 'scripted' ? undefined : `${choice.provider}/${choice.modelId}`;
  const known = providerOf(provider, settingsFor(provider, wanted));
  return model?.includes('{') ? undefined : `${known}/${model ?? usualModels[known]}`;
}

function unavailable(provider: string, known: string, model: string | undefined): FullstopError | undefined {
  if (!providerNames.includes(known)) return unknownProvider(provider, model);
  if (model !== undefined || usualModels[known] !== undefined) return undefined;
  return misuse(`The file names no model for ${provider}. Give one with --model, or as default_model.`);
}

function mappedModel(
  { models = {} }: Environment,
  provider: string,
  model: string | undefined,
): ModelChoice | undefined {
  const names = [...(model === undefined ? [] : [`${provider}/${model}`, model]), provider, '*'];
  const found = names.find((name) => Object.hasOwn(models, name));
  return found === undefined ? undefined : models[found];
}

async function made(choice: ModelChoice, environment: Environment): Promise<LanguageModel> {
  return typeof choice === 'string' ? load(choice, environment) : choice;
}

const loaded = new WeakMap<Environment, Map<string, Promise<LanguageModel>>>();

/** Loads a model once per run. */
function load(name: string, environment: Environment, settings?: ProviderSettings): Promise<LanguageModel> {
  const known = loaded.get(environment) ?? new Map<string, Promise<LanguageModel>>();
  loaded.set(environment, known);
  const before = known.get(name);
  if (before !== undefined) return before;
  const loading = environment.loadModel?.(name) ?? loadNamed(name, environment, settings);
  known.set(name, loading);
  return loading;
}

function loadNamed(name: string, { env }: Environment, settings: ProviderSettings | undefined): Promise<LanguageModel> {
  if (settings === undefined) return loadModel(name, { env });
  const access = accessOfName(name, { env }, settings);
  return loadModel(access.name, { env, ...access.options });
}

/** The name to load instead, with the keys and addresses of the file. */
function accessOfName(
  name: string,
  { env }: Pick<Environment, 'env'>,
  settings: ProviderSettings,
): { readonly name: string; readonly options: Omit<LoadModelOptions, 'env'> } {
  const slash = name.indexOf('/');
  const model = name.slice(slash + 1);
  const { provider, options } = accessOf(name.slice(0, slash), settings, { model, env });
  return { name: `${provider}/${model}`, options };
}

function unknownProvider(provider: string, model: string | undefined): FullstopError {
  if (provider === 'scripted') {
    return misuse('The file asks for scripted answers. Give them with --scripted FILE, or as model: scriptedModel(…).');
  }
  const wish = model === undefined ? provider : `${provider} with the model ${model}`;
  const usual = provider === 'copilot' ? ', as every file does that names no provider' : '';
  return misuse(
    `The file asks for ${wish}${usual}. That is not available here. Run it with another one, such as --provider openai --model gpt-5, ` +
      `or say in fullstop.config what it stands for: models: { ${JSON.stringify(provider)}: 'openai/gpt-5' }. Known providers are ${providerNames.join(', ')}.`,
  );
}

function misuse(message: string): FullstopError {
  return new FullstopError('INVALID_OPTION', message);
}
