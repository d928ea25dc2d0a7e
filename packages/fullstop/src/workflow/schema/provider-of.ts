import type { ProviderSettings } from './record-types.js';

/** The names of the reference for its providers, and what they are here. */
const knownProviders: Readonly<Record<string, string>> = { claude: 'anthropic' };

/** The provider that a name of the file stands for. Copilot is not here, but an endpoint that it would speak to is. */
export function providerOf(name: string, { type, base_url: url }: ProviderSettings): string {
  if (name === 'copilot' && url !== undefined) return type ?? 'openai';
  return knownProviders[name] ?? name;
}

/** The settings that are read for some endpoints only, and are read for the one that these settings name. */
export function settingsInEffect(settings: ProviderSettings): ReadonlySet<keyof ProviderSettings> {
  const { name, base_url: url, api_key, auth_token, wire_api } = settings;
  const provider = providerOf(name, settings);
  if (url === undefined) return new Set();
  const isAzure = provider === 'azure';
  return new Set<keyof ProviderSettings>([
    ...(name === 'copilot' ? (['type'] as const) : []),
    ...(isAzure || provider === 'openai' ? (['wire_api'] as const) : []),
    // For responses Azure has one address, without a version.
    ...(isAzure && wire_api !== 'responses' ? (['azure'] as const) : []),
    // Azure is sent both; elsewhere there is one key.
    ...(isAzure || (api_key ?? auth_token) === undefined ? (['bearer_token'] as const) : []),
  ]);
}
