import type { LoadModelOptions } from '../../../models/providers/provider.js';
import type { ProviderSettings } from '../../schema/record-types.js';

/** Keys and addresses of the file. A token for gateways is sent as a key and as a bearer: they differ in what they read. */
export function accessOf(settings: ProviderSettings | undefined): Omit<LoadModelOptions, 'env'> {
  const { api_key, auth_token, base_url, headers } = settings ?? {};
  const apiKey = api_key ?? auth_token;
  const bearer = auth_token === undefined ? {} : { Authorization: `Bearer ${auth_token}` };
  const all = { ...bearer, ...(headers === undefined ? {} : Object.fromEntries(headers)) };
  return {
    ...(apiKey !== undefined && { apiKey }),
    ...(base_url !== undefined && { baseUrl: base_url }),
    ...(Object.keys(all).length > 0 && { settings: { headers: all } }),
  };
}
