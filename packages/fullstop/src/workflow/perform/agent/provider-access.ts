import type { EnvironmentVariables, LoadModelOptions } from '../../../models/providers/provider.js';
import type { ProviderSettings } from '../../schema/record-types.js';

interface Access {
  /** The provider to load instead: servers at other addresses speak chat completions, whatever OpenAI itself speaks by now. */
  readonly provider: string;
  readonly options: Omit<LoadModelOptions, 'env'>;
}

/** Keys and addresses of the file for a provider, with the model where the address depends on it. */
export function accessOf(
  provider: string,
  settings: ProviderSettings,
  { model, env }: { readonly model: string; readonly env: EnvironmentVariables },
): Access {
  const { api_key, auth_token, bearer_token, base_url: url, wire_api } = settings;
  const apiKey = api_key ?? auth_token ?? bearer_token;
  const key = apiKey !== undefined && { apiKey };
  const headers = headersOf(settings);
  const more = Object.keys(headers).length > 0 && { settings: { headers } };
  if (url === undefined) return { provider, options: { ...key, ...more } };
  if (provider === 'azure') return azureAccess(url, settings, { model, env });
  if (provider === 'openai' && wire_api !== 'responses') {
    const found = apiKey ?? env['OPENAI_API_KEY'];
    const named = { settings: { name: 'openai', ...(more !== false && more.settings) } };
    return { provider: compatible, options: { ...(found && { apiKey: found }), baseUrl: url, ...named } };
  }
  const baseUrl = provider === 'anthropic' && !/\/v\d+\/?$/.test(url) ? `${url.replace(/\/+$/, '')}/v1` : url;
  return { provider, options: { ...key, baseUrl, ...more } };
}

const compatible = 'openai-compatible';

/** A token for gateways is sent as a key and as a bearer: they differ in what they read. */
function headersOf({ auth_token, headers }: ProviderSettings): Readonly<Record<string, string>> {
  const bearer = auth_token === undefined ? {} : { Authorization: `Bearer ${auth_token}` };
  return { ...bearer, ...(headers === undefined ? {} : Object.fromEntries(headers)) };
}

const usualApiVersion = '2024-10-21';

/** Azure has an address for each deployment, a version in the query and a header of its own for the key; for responses it has one address without a version. */
function azureAccess(
  url: string,
  settings: ProviderSettings,
  { model, env }: { readonly model: string; readonly env: EnvironmentVariables },
): Access {
  const { api_key, bearer_token, azure, wire_api } = settings;
  const apiKey = api_key ?? (bearer_token === undefined ? env['AZURE_API_KEY'] : undefined);
  const headers = { ...(apiKey !== undefined && { 'api-key': apiKey }), ...headersOf(settings) };
  const root = url.replace(/(?:\/openai(?:\/v1)?)?\/*$/, '');
  if (wire_api === 'responses') {
    // The client demands a key, and Azure takes it as a bearer too.
    const key = bearer_token ?? apiKey;
    const options = { ...(key !== undefined && { apiKey: key }), baseUrl: `${root}/openai/v1`, settings: { headers } };
    return { provider: 'openai', options };
  }
  const queryParams = { 'api-version': azure?.api_version ?? usualApiVersion };
  return {
    provider: compatible,
    options: {
      ...(bearer_token !== undefined && { apiKey: bearer_token }),
      baseUrl: `${root}/openai/deployments/${encodeURIComponent(model)}`,
      settings: { name: 'azure', headers, queryParams },
    },
  };
}
