import type { LanguageModel } from '../../../models/language-model.js';
import { loadModel, providerNames } from '../../../models/providers/provider.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
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

/** The names of the reference for its providers, and what they are here. */
const knownProviders: Readonly<Record<string, string>> = { claude: 'anthropic' };
const usualModels: Readonly<Record<string, string>> = { openai: 'gpt-5-mini', anthropic: 'claude-3-5-sonnet-latest' };

/** The model for an agent: what the run was given first, then what the file names. */
export async function findModel(wanted: WantedModel, environment: Environment): Promise<LanguageModel> {
  if (environment.model !== undefined) return made(environment.model, environment);
  const provider = wanted.provider ?? environment.provider ?? wanted.settings.name;
  const model = wanted.model ?? environment.defaultModel;
  const mapped = mappedModel(environment, provider, model);
  if (mapped !== undefined) return made(mapped, environment);
  const problem = unavailable(provider, model);
  if (problem !== undefined) throw problem;
  const known = knownProviders[provider] ?? provider;
  const name = model ?? usualModels[known];
  return load(`${known}/${name}`, environment, provider === wanted.settings.name ? wanted.settings : undefined);
}

/** Why an agent could not ask its model, as far as that is known before it does. */
export function modelProblem(wanted: WantedModel, environment: Environment): FullstopError | undefined {
  if (environment.model !== undefined) return undefined;
  const provider = wanted.provider ?? environment.provider ?? wanted.settings.name;
  const model = wanted.model ?? environment.defaultModel;
  // The text of a template may be mapped to a model too.
  if (model?.includes('{') && environment.models !== undefined) return undefined;
  return mappedModel(environment, provider, model) === undefined ? unavailable(provider, model) : undefined;
}

/** The name by which the price of a model is looked up; undefined where only the run can say, or no model is asked. */
export function pricedName(wanted: WantedModel, environment: Environment): string | undefined {
  const provider = wanted.provider ?? environment.provider ?? wanted.settings.name;
  const model = wanted.model ?? environment.defaultModel;
  const choice = environment.model ?? mappedModel(environment, provider, model);
  if (typeof choice === 'string') return choice;
  if (choice !== undefined) return choice.provider === 'scripted' ? undefined : `${choice.provider}/${choice.modelId}`;
  const known = knownProviders[provider] ?? provider;
  return model?.includes('{') ? undefined : `${known}/${model ?? usualModels[known]}`;
}

function unavailable(provider: string, model: string | undefined): FullstopError | undefined {
  const known = knownProviders[provider] ?? provider;
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
  const loading =
    environment.loadModel?.(name) ??
    loadModel(name, {
      env: environment.env,
      ...accessOf(settings),
    });
  known.set(name, loading);
  return loading;
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
