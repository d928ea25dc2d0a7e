import { describe, expect, it } from 'vitest';
import { loadGood } from '../../load/load-text.fixture.js';
import { providerOf } from '../../schema/provider-of.js';
import { accessOf } from './provider-access.js';

const settingsOf = (provider: string) =>
  loadGood(`workflow: {name: w, entry_point: a, runtime: {provider: ${provider}}}\nagents: [{name: a, prompt: x}]`)
    .document.workflow.runtime.provider;

describe('the access that a file gives to its provider', () => {
  const chat = (more: object = {}) => ({ name: 'openai', ...more });

  it.each([
    ['openai', 'openai', {}],
    [
      '{name: openai, api_key: k, base_url: http://h/v1}',
      'openai-compatible',
      { apiKey: 'k', baseUrl: 'http://h/v1', settings: chat() },
    ],
    [
      '{name: copilot, type: openai, base_url: http://h/v1, bearer_token: t, headers: {X-Team: core}}',
      'openai-compatible',
      { apiKey: 't', baseUrl: 'http://h/v1', settings: chat({ headers: { 'X-Team': 'core' } }) },
    ],
    [
      '{name: copilot, type: openai, wire_api: responses, base_url: http://h/v1, api_key: k}',
      'openai',
      { apiKey: 'k', baseUrl: 'http://h/v1' },
    ],
    [
      '{name: copilot, type: azure, base_url: "http://h/", api_key: k, azure: {api_version: v9}}',
      'openai-compatible',
      {
        baseUrl: 'http://h/openai/deployments/m',
        settings: { name: 'azure', headers: { 'api-key': 'k' }, queryParams: { 'api-version': 'v9' } },
      },
    ],
    [
      '{name: copilot, type: azure, base_url: "http://h/openai/v1/", bearer_token: t}',
      'openai-compatible',
      {
        apiKey: 't',
        baseUrl: 'http://h/openai/deployments/m',
        settings: { name: 'azure', headers: {}, queryParams: { 'api-version': '2024-10-21' } },
      },
    ],
    [
      '{name: copilot, type: azure, wire_api: responses, base_url: "http://h/openai", api_key: k}',
      'openai',
      { apiKey: 'k', baseUrl: 'http://h/openai/v1', settings: { headers: { 'api-key': 'k' } } },
    ],
    [
      '{name: claude, auth_token: t}',
      'anthropic',
      { apiKey: 't', settings: { headers: { Authorization: 'Bearer t' } } },
    ],
    ['{name: claude, api_key: k, base_url: http://h}', 'anthropic', { apiKey: 'k', baseUrl: 'http://h/v1' }],
    ['{name: claude, api_key: k, base_url: http://h/v1}', 'anthropic', { apiKey: 'k', baseUrl: 'http://h/v1' }],
  ])('of %s', (text, provider, options) => {
    const settings = settingsOf(text);
    const access = accessOf(providerOf(settings.name, settings), settings, { model: 'm', env: {} });
    expect(access).toEqual({ provider, options });
  });
});
