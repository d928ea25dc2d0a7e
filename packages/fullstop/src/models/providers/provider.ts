import { host } from '../../engines/port/host.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { suggestion } from '../../termination/text/suggestion.js';
import { type LanguageModel, readModel } from '../language-model.js';
import { type ProviderRow, providerTable } from './provider-table.js';

/** Variables of the environment, such as `process.env`. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Options of `loadModel`: keys, addresses and settings of its provider. */
export interface LoadModelOptions {
  /** Where keys and settings are looked up; `process.env` unless given. */
  readonly env?: EnvironmentVariables;
  /** Where requests go instead of the provider's own address. */
  readonly baseUrl?: string;
  /** A key that is not in the environment. */
  readonly apiKey?: string;
  /** More settings for the function of the package that makes the provider, such as `headers`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * Imports the provider's package. Packages are found from where this library is installed unless given; a program that
   * is installed elsewhere can look into the user's project.
   */
  readonly importPackage?: (name: string) => Promise<unknown>;
}

/** The names that a model's name may begin with. */
export const providerNames: readonly string[] = Object.keys(providerTable);

/**
 * A model by name, `provider/model`. The provider's package is an optional peer that is imported now.
 *
 * @example
 * const model = await loadModel('openai/gpt-5');
 */
export async function loadModel(name: string, options: LoadModelOptions = {}): Promise<LanguageModel> {
  const { provider, modelId, row } = readName(name);
  const settings = readSettings(provider, row, options);
  const create = await loadFactory(provider, row, options);
  const made = create(settings) as { languageModel(modelId: string): LanguageModel };
  const model = made.languageModel(modelId);
  readModel(model);
  return model;
}

/** Why a model could not be loaded, as far as that is known without its package: an unknown provider, a missing key or address. */
export function accessProblem(
  name: string,
  options: Omit<LoadModelOptions, 'importPackage'> = {},
): FullstopError | undefined {
  try {
    const { provider, row } = readName(name);
    readSettings(provider, row, options);
    return undefined;
  } catch (error) {
    if (FullstopError.is(error)) return error;
    throw error;
  }
}

interface ModelName {
  readonly provider: string;
  readonly modelId: string;
  readonly row: ProviderRow;
}

/** Only the first slash separates: models of gateways have slashes of their own. */
function readName(name: string): ModelName {
  const slash = name.indexOf('/');
  const provider = name.slice(0, Math.max(slash, 0));
  const modelId = name.slice(slash + 1);
  if (provider === '' || modelId === '') {
    throw misuse(`The model ${found(name)} has no provider; write provider/model, such as openai/gpt-5.`);
  }
  const row = Object.hasOwn(providerTable, provider) ? providerTable[provider] : undefined;
  if (row === undefined) {
    const hint = suggestion(provider, providerNames);
    throw misuse(`There is no provider ${JSON.stringify(provider)}${hint}; known are ${providerNames.join(', ')}.`);
  }
  return { provider, modelId, row };
}

function readSettings(
  provider: string,
  row: ProviderRow,
  options: LoadModelOptions,
): Readonly<Record<string, unknown>> {
  const { env = host.process?.env ?? {}, settings } = options;
  const apiKey = options.apiKey ?? lookUp(env, row.keys);
  if (apiKey === undefined && row.keys.length > 0 && row.keyRequired !== false) {
    const message = `There is no key for ${provider}: set ${row.keys.join(' or ')}, or pass apiKey.`;
    throw new FullstopError('MODEL_KEY_MISSING', message, { details: { provider, variables: row.keys } });
  }
  const baseURL = options.baseUrl ?? lookUp(env, row.baseUrlVariables ?? []) ?? row.baseUrl;
  const more = baseURL === undefined ? readMore(provider, row, env) : {};
  return {
    // Without this the streams of compatible servers report no usage.
    ...(row.named === true && { name: provider, includeUsage: true }),
    ...(apiKey !== undefined && { apiKey }),
    ...(baseURL !== undefined && { baseURL }),
    ...more,
    ...settings,
  };
}

function readMore(
  provider: string,
  { settings = {} }: ProviderRow,
  env: EnvironmentVariables,
): Readonly<Record<string, string>> {
  const entries = Object.entries(settings).map(([setting, variable]): readonly [string, string] => {
    const value = lookUp(env, [variable]);
    if (value === undefined) {
      const message = `${provider} has no address: set ${variable}, or pass baseUrl.`;
      throw new FullstopError('INVALID_OPTION', message, { details: { provider, variables: [variable] } });
    }
    return [setting, value];
  });
  return Object.fromEntries(entries);
}

function lookUp(env: EnvironmentVariables, variables: readonly string[]): string | undefined {
  // A variable that is set to nothing is a common way to unset it.
  return variables.map((variable) => env[variable]).find((value) => value !== undefined && value !== '');
}

type Factory = (settings: Readonly<Record<string, unknown>>) => unknown;

async function loadFactory(provider: string, row: ProviderRow, options: LoadModelOptions): Promise<Factory> {
  const load = options.importPackage ?? importPackage;
  let namespace: unknown;
  try {
    namespace = await load(row.package);
  } catch (error) {
    if (!isMissing(error, row.package)) throw error;
    throw packageMissing(provider, row.package, error);
  }
  const create = (namespace as Readonly<Record<string, unknown>>)[row.create];
  if (typeof create === 'function') return create as Factory;
  throw new FullstopError(
    'UNSUPPORTED_MODEL',
    `The package ${row.package} has no ${row.create}; install a version for AI SDK 5, 6 or 7.`,
  );
}

// The name is a variable, so that bundlers leave the optional package alone.
function importPackage(name: string): Promise<unknown> {
  return import(name);
}

/** The package itself, not something that it in turn cannot find. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = toErrorData(error, { stack: false });
  const missing =
    code === 'ERR_MODULE_NOT_FOUND' ||
    code === 'MODULE_NOT_FOUND' ||
    /cannot find (?:package|module)|failed to (?:load|resolve)|could not resolve/i.test(message);
  return missing && message.includes(name);
}

function packageMissing(provider: string, name: string, cause: unknown): FullstopError {
  const message = `Models of ${provider} need the package ${name}, which is not installed: npm install ${name}`;
  return new FullstopError('MODEL_PACKAGE_MISSING', message, { cause, details: { provider, package: name } });
}

function misuse(message: string): FullstopError {
  return new FullstopError('INVALID_OPTION', message);
}
