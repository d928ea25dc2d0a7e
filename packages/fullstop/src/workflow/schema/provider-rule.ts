import type { DocumentPath, Report } from '../source/problem.js';
import { entryOf, type MapNode } from '../source/yaml-node.js';
import type { ProviderSettings } from './record-types.js';

interface ProviderSpot {
  readonly value: ProviderSettings;
  readonly node: MapNode;
  readonly path: DocumentPath;
  readonly report: Report;
}

type Setting = keyof ProviderSettings;

/** Settings that only some of the providers of the reference have; other providers may take any of them. */
const owners: readonly { readonly providers: readonly string[]; readonly settings: readonly Setting[] }[] = [
  {
    providers: ['copilot'],
    settings: ['type', 'wire_api', 'bearer_token', 'headers', 'azure', 'runtime_url', 'runtime_token'],
  },
  { providers: ['claude'], settings: ['auth_token'] },
  { providers: ['copilot', 'openai', 'claude', 'hermes'], settings: ['base_url', 'api_key'] },
  {
    providers: ['hermes'],
    settings: ['hermes_home', 'hermes_toolsets', 'hermes_skip_memory', 'hermes_skip_context_files'],
  },
  {
    providers: ['aca'],
    settings: ['pool_endpoint', 'api_version', 'inner_provider', 'identifier_scope', 'egress', 'lifecycle', 'auth'],
  },
];

const referenceProviders: readonly string[] = ['copilot', 'openai', 'claude', 'claude-agent-sdk', 'hermes', 'aca'];

/** Which provider settings go together. */
export function providerRule(spot: ProviderSpot): void {
  const { value } = spot;
  const refuse = (key: Setting, message: string): void => {
    const entry = entryOf(spot.node, key);
    spot.report.error({ code: 'INVALID_VALUE', message, at: entry?.keyAt ?? spot.node.at, path: [...spot.path, key] });
  };
  if (referenceProviders.includes(value.name)) refuseForeignSettings(value, refuse);
  refuseIncomplete(value, refuse);
  if (value.name === 'aca') refusePoolEndpoint(value.pool_endpoint, refuse);
}

type Refuse = (key: Setting, message: string) => void;

function refuseIncomplete(value: ProviderSettings, refuse: Refuse): void {
  const { azure, headers, runtime_token: token } = value;
  if (azure !== undefined && value.type !== 'azure') refuse('azure', "'azure' options require type 'azure'");
  if (azure !== undefined && azure.api_version === undefined) refuse('azure', "The 'azure' block is empty");
  if (headers?.size === 0) refuse('headers', "'headers' must have at least one entry");
  if (token !== undefined && value.runtime_url === undefined)
    refuse('runtime_token', "'runtime_token' requires 'runtime_url'");
  if (value.base_url !== undefined || value.api_key !== undefined || value.bearer_token !== undefined) return;
  for (const key of ['type', 'wire_api', 'headers', 'azure'] as const) {
    if (value[key] !== undefined) refuse(key, `'${key}' requires base_url, api_key or bearer_token`);
  }
}

function refuseForeignSettings(value: ProviderSettings, refuse: Refuse): void {
  for (const { providers, settings } of owners) {
    if (providers.includes(value.name)) continue;
    for (const setting of settings) {
      if (value[setting] !== undefined) refuse(setting, `'${setting}' is only supported by ${providers.join(', ')}`);
    }
  }
}

function refusePoolEndpoint(endpoint: string | undefined, refuse: Refuse): void {
  if (endpoint === undefined || endpoint.trim() === '') {
    refuse('pool_endpoint', "'pool_endpoint' is required when the provider is aca");
    return;
  }
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol !== 'https:') refuse('pool_endpoint', "'pool_endpoint' must be an https address");
  else if (url.search !== '' || url.hash !== '')
    refuse('pool_endpoint', "'pool_endpoint' must not have a query or fragment");
}
