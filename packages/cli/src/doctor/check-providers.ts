import type { FullstopError } from 'fullstop';
import { loadModel, providerNames } from 'fullstop';
import { findPackage } from '../workflow/find-package.js';
import { askProvider } from './ask-provider.js';
import type { Check } from './check.js';

/** Thrown in place of loading a package, once it is certain that it is there. */
class Found extends Error {}

export interface ProviderQuestion {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks each provider that is set up for a word, which costs a few tokens. */
  readonly asks: boolean;
  /** The models to ask, as `provider/model`. */
  readonly models: readonly string[];
}

/** Which providers of models can be used from a folder: key and package, and whether they answer where that is asked. */
export async function checkProviders(question: ProviderQuestion): Promise<readonly Check[]> {
  const checks = await Promise.all(providerNames.map((provider) => checkProvider(provider, question)));
  return [...checks.filter(({ status }) => status !== 'note'), ...checks.filter(({ status }) => status === 'note')];
}

async function checkProvider(provider: string, { cwd, env, asks, models }: ProviderQuestion): Promise<Check> {
  const importPackage = async (name: string): Promise<never> => {
    findPackage(name, cwd);
    throw new Found(name);
  };
  try {
    await loadModel(`${provider}/any`, { env, importPackage });
  } catch (error) {
    if (!(error instanceof Found))
      return { name: provider, status: 'note', found: 'not set up', todo: setUpHint(error as FullstopError) };
    if (!asks) return { name: provider, status: 'good', found: `configured, not checked (${error.message})` };
  }
  const model = models.find((name) => name.startsWith(`${provider}/`)) ?? usualModels[provider];
  if (model === undefined)
    return {
      name: provider,
      status: 'note',
      found: 'configured, not checked',
      todo: `say which model to ask: fullstop doctor --check --model ${provider}/MODEL`,
    };
  return askProvider(provider, model, { cwd, env });
}

/** Small models that these providers have had for long, to ask where none is named. */
const usualModels: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-3-5-haiku-latest',
  openai: 'openai/gpt-5-mini',
};

/** The missing variables or the missing package, where that is all that a provider lacks. */
function setUpHint({ details, message }: FullstopError): string {
  const { variables, package: name } = (details ?? {}) as { variables?: readonly string[]; package?: string };
  if (name !== undefined) return `npm install ${name}`;
  return variables === undefined ? message : `set ${variables.join(' or ')}`;
}
