import { describe, expect, it } from 'vitest';
import { loadGood } from '../../load/load-text.fixture.js';
import { accessOf } from './provider-access.js';

const settingsOf = (provider: string) =>
  loadGood(`workflow: {name: w, entry_point: a, runtime: {provider: ${provider}}}\nagents: [{name: a, prompt: x}]`)
    .document.workflow.runtime.provider;

describe('the access that a file gives to its provider', () => {
  it.each([
    ['openai', {}],
    ['{name: openai, api_key: k, base_url: http://h/v1}', { apiKey: 'k', baseUrl: 'http://h/v1' }],
    [
      '{name: copilot, api_key: k, headers: {X-Team: core}}',
      { apiKey: 'k', settings: { headers: { 'X-Team': 'core' } } },
    ],
    ['{name: claude, auth_token: t}', { apiKey: 't', settings: { headers: { Authorization: 'Bearer t' } } }],
  ])('of %s', (provider, access) => {
    expect(accessOf(settingsOf(provider))).toEqual(access);
  });
});
