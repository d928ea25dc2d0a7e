import { settingsInEffect } from '../schema/provider-of.js';
import type { ProviderSettings } from '../schema/record-types.js';
import type { AgentStep } from '../schema/steps/agent.js';
import type { DocumentPath } from '../source/problem.js';
import { entryOf, locate, nodeAt } from '../source/yaml-node.js';
import type { Meaning } from './meaning.js';

/** Why a key of the reference does nothing here, and what to write instead. */
const stepKeys: Readonly<Partial<Record<keyof AgentStep, string>>> = {
  session_key: 'every agent step begins a conversation of its own; hand on what the next one needs in its prompt',
  context_tier: 'the size of the context window belongs to the model; name a model with a larger one',
  sandbox: 'it belongs to the provider aca; tools run in this process and in MCP servers',
  plugins: 'there are no plugins here; list their skills under skills and their servers under mcp_servers',
};

const runtimeKeys: Readonly<Record<string, string | undefined>> = {
  default_context_tier: stepKeys.context_tier,
  plugins: stepKeys.plugins,
  plugin_sources: stepKeys.plugins,
};

/** Settings of providers that are not there, which the endpoints that can answer in their place read only partly. */
const providerKeys: readonly (keyof ProviderSettings)[] = [
  'type',
  'wire_api',
  'bearer_token',
  'azure',
  'runtime_url',
  'runtime_token',
  'hermes_home',
  'hermes_toolsets',
  'hermes_skip_memory',
  'hermes_skip_context_files',
  'pool_endpoint',
  'api_version',
  'inner_provider',
  'identifier_scope',
  'egress',
  'lifecycle',
  'auth',
];

/** Keys that are accepted because the reference has them, and do nothing: someone expects an effect. */
export function checkEffects(meaning: Meaning): void {
  checkSettings(meaning);
}

/** The same for the keys of an agent step. */
export function checkAgentEffects(meaning: Meaning, step: AgentStep, path: DocumentPath): void {
  for (const [key, why] of Object.entries(stepKeys)) {
    const value = step[key as keyof AgentStep];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    warn(meaning, [...path, key], why);
  }
  warnOfSkills(meaning, step.skills ?? [], [...path, 'skills']);
}

function checkSettings(meaning: Meaning): void {
  const { runtime, cost } = meaning.document.workflow;
  for (const [key, why] of Object.entries(runtimeKeys)) {
    const path = ['workflow', 'runtime', key];
    if (why !== undefined && isThere(meaning, path)) warn(meaning, path, why);
  }
  const inEffect = settingsInEffect(runtime.provider);
  for (const key of providerKeys) {
    if (inEffect.has(key)) continue;
    const path = ['workflow', 'runtime', 'provider', key];
    const why = whyUnread(runtime.provider);
    if (isThere(meaning, path)) warn(meaning, path, why);
  }
  warnOfSkills(meaning, runtime.skills, ['workflow', 'runtime', 'skills']);
  for (const [model, { cache_write_per_mtok: price }] of cost.pricing) {
    const path = ['workflow', 'cost', 'pricing', model, 'cache_write_per_mtok'];
    if (price > 0) warn(meaning, path, 'what is written to a cache is counted as other input');
  }
  if (!cost.show_summary)
    warn(meaning, ['workflow', 'cost', 'show_summary'], 'the cost of a run is part of its ending');
}

function whyUnread({ name, base_url: url }: ProviderSettings): string {
  return name === 'copilot' && url !== undefined
    ? 'the endpoint that stands for copilot has no such setting'
    : `it belongs to a provider that is not available here; say in the configuration what ${name} stands for`;
}

/** A name without a path is one of the reference's own skills. */
function warnOfSkills(meaning: Meaning, skills: readonly string[], path: DocumentPath): void {
  for (const [index, skill] of skills.entries()) {
    if (/[\\/.~]/.test(skill)) continue;
    warn(meaning, [...path, index], 'there are no built-in skills here; give the path of a directory with a SKILL.md');
  }
}

function isThere({ root }: Meaning, path: DocumentPath): boolean {
  const around = nodeAt(root, path.slice(0, -1));
  const value = around.kind === 'map' ? entryOf(around, String(path.at(-1)))?.value : undefined;
  if (value === undefined || value.kind === 'null') return false;
  return value.kind === 'list' ? value.items.length > 0 : value.kind !== 'map' || value.entries.length > 0;
}

function warn({ root, report }: Meaning, path: DocumentPath, why: string): void {
  const node = nodeAt(root, path);
  const what = typeof path.at(-1) === 'number' && 'text' in node ? `'${node.text}'` : `'${path.at(-1)}'`;
  const message = `${what} has no effect here: ${why}`;
  report.warn({ code: 'KEY_WITHOUT_EFFECT', message, at: locate(root, path), path });
}
