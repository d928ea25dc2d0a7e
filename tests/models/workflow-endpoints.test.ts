import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadWorkflow } from '../../packages/fullstop/src/workflow/load-workflow.js';
import type { LoadWorkflowOptions, WorkflowResult } from '../../packages/fullstop/src/workflow/workflow.js';
import { type ModelServer, startModelServer } from './servers/model-server.js';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

const env = {
  PATH: process.env['PATH'],
  OPENAI_API_KEY: 'openai-env',
  ANTHROPIC_API_KEY: 'anthropic-env',
  AZURE_API_KEY: 'azure-env',
};

const runText = (file: string, options: LoadWorkflowOptions = {}): Promise<WorkflowResult> =>
  loadWorkflow('/w/workflow.yaml', { env, ...options, readFile: () => file }).run();

const text = (provider: string, step = ''): string => `
workflow: {name: w, entry_point: m, runtime: {provider: ${provider}, default_model: test-model}}
agents: [{name: m, prompt: go, retry: {max_attempts: 1}${step}}]
output: {v: "{{ m.output.result }}"}
`;

/** The addresses of the server that people write: with the version, with a slash after it, without it. */
const addressed = (provider: string): string =>
  provider.replace('ROOT', server.url.replace('/v1', '')).replace('URL', server.url);

const chat = '/v1/chat/completions';
const deployment = '/openai/deployments/test-model/chat/completions?api-version=';

describe('endpoints that a file names, over the real packages', () => {
  const endpoints: readonly (readonly [provider: string, url: string, headers: object])[] = [
    ['{name: openai, base_url: "URL", api_key: k}', chat, { authorization: 'Bearer k' }],
    ['{name: openai, base_url: "URL/", api_key: k}', chat, { authorization: 'Bearer k' }],
    ['{name: openai, base_url: "URL"}', chat, { authorization: 'Bearer openai-env' }],
    [
      '{name: copilot, type: openai, base_url: "URL", bearer_token: t, headers: {X-Team: core}}',
      chat,
      { authorization: 'Bearer t', 'x-team': 'core' },
    ],
    ['{name: copilot, base_url: "URL", api_key: k}', chat, { authorization: 'Bearer k' }],
    [
      '{name: copilot, type: openai, wire_api: completions, base_url: "URL", api_key: k}',
      chat,
      { authorization: 'Bearer k' },
    ],
    [
      '{name: copilot, type: openai, wire_api: responses, base_url: "URL", api_key: k}',
      '/v1/responses',
      { authorization: 'Bearer k' },
    ],
    [
      '{name: copilot, type: openai, wire_api: responses, base_url: "URL", bearer_token: t, headers: {X-Team: core}}',
      '/v1/responses',
      { authorization: 'Bearer t', 'x-team': 'core' },
    ],
    [
      '{name: copilot, type: azure, base_url: "ROOT", api_key: k, azure: {api_version: v9}}',
      `${deployment}v9`,
      { 'api-key': 'k' },
    ],
    ['{name: copilot, type: azure, base_url: "ROOT/"}', `${deployment}2024-10-21`, { 'api-key': 'azure-env' }],
    [
      '{name: copilot, type: azure, base_url: "ROOT", bearer_token: t}',
      `${deployment}2024-10-21`,
      { authorization: 'Bearer t' },
    ],
    [
      '{name: copilot, type: azure, wire_api: responses, base_url: "ROOT", api_key: k}',
      '/openai/v1/responses',
      { 'api-key': 'k' },
    ],
    ['{name: copilot, type: anthropic, base_url: "ROOT", api_key: k}', '/v1/messages', { 'x-api-key': 'k' }],
    ['{name: claude, base_url: "ROOT", api_key: k}', '/v1/messages', { 'x-api-key': 'k' }],
    ['{name: claude, base_url: "ROOT/", api_key: k}', '/v1/messages', { 'x-api-key': 'k' }],
    ['{name: claude, base_url: "URL", api_key: k}', '/v1/messages', { 'x-api-key': 'k' }],
    ['{name: claude, base_url: "URL/"}', '/v1/messages', { 'x-api-key': 'anthropic-env' }],
    ['{name: claude, base_url: "ROOT", auth_token: t}', '/v1/messages', { authorization: 'Bearer t' }],
  ];

  it.each(endpoints)('%s', async (provider, url, headers) => {
    server.reply({ text: 'hello' });
    const result = await runText(text(addressed(provider)));
    expect(server.calls).toMatchObject([{ url, headers }]);
    expect(result.termination).toMatchObject({ kind: 'flow_completed' });
    expect(result.output).toEqual({ v: 'hello' });
    expect(server.requests[0]).toMatchObject({ model: 'test-model' });
  });

  it('asks the model that the run was given, at the provider of the file', async () => {
    server.reply({ text: 'hello' });
    const file = text(addressed('{name: openai, base_url: "URL", api_key: k}'), ', model: other');
    await runText(file, { modelName: 'mine' });
    expect(server.requests.at(-1)).toMatchObject({ model: 'mine' });
  });

  it.each([
    ['{name: openai, base_url: "URL", api_key: wrong}', '/v1/chat/completions'],
    ['{name: copilot, type: openai, wire_api: responses, base_url: "URL", api_key: wrong}', '/v1/responses'],
    ['{name: claude, base_url: "ROOT", api_key: wrong}', '/v1/messages'],
  ])('keeps the evidence of a refusal and no key: %s', async (provider, url) => {
    server.reply({ status: 401, message: 'Incorrect key', headers: { 'x-request-id': 'req_9' } });
    const result = await runText(text(addressed(provider)));
    expect(server.calls).toMatchObject([{ url }]);
    expect(JSON.stringify(result.termination)).toContain('Incorrect key');
    expect(JSON.stringify(result.termination)).toContain('401');
    expect(JSON.stringify(await result.journal())).not.toContain('"wrong"');
  });
});
