import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadWorkflow } from '../../packages/fullstop/src/workflow/load-workflow.js';
import type { LoadWorkflowOptions, WorkflowResult } from '../../packages/fullstop/src/workflow/workflow.js';
import { type ModelServer, startModelServer } from './servers/model-server.js';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const runText = (file: string, options: LoadWorkflowOptions): Promise<WorkflowResult> =>
  loadWorkflow('/w/workflow.yaml', { ...options, readFile: () => file }).run();

const text = (provider: string): string => `
workflow: {name: w, entry_point: m, runtime: {provider: ${provider}, default_model: test-model}}
agents: [{name: m, prompt: go, retry: {max_attempts: 1}}]
output: {v: "{{ m.output.result }}"}
`;

describe('endpoints that a file names, over the real package', () => {
  it.each([
    ['{name: openai, base_url: "URL", api_key: k}', '/v1/chat/completions', { authorization: 'Bearer k' }],
    ['{name: openai, base_url: "URL"}', '/v1/chat/completions', { authorization: 'Bearer from-env' }],
    [
      '{name: copilot, type: openai, base_url: "URL", bearer_token: t, headers: {X-Team: core}}',
      '/v1/chat/completions',
      { authorization: 'Bearer t', 'x-team': 'core' },
    ],
    [
      '{name: copilot, type: azure, base_url: "URL", api_key: k, azure: {api_version: v9}}',
      '/v1/openai/deployments/test-model/chat/completions?api-version=v9',
      { 'api-key': 'k' },
    ],
  ])('%s', async (provider, url, headers) => {
    server.reply({ text: 'hello' });
    const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'from-env' };
    const result = await runText(text(provider.replace('URL', server.url)), { env });
    expect(result.termination).toMatchObject({ kind: 'flow_completed' });
    expect(result.output).toEqual({ v: 'hello' });
    expect(server.calls.at(-1)).toMatchObject({ url, headers });
  });

  it('asks the model that the run was given, at the provider of the file', async () => {
    server.reply({ text: 'hello' });
    const file = text(`{name: openai, base_url: "${server.url}", api_key: k}`).replace(
      'prompt: go',
      'prompt: go, model: other',
    );
    await runText(file, { modelName: 'mine' });
    expect(server.requests.at(-1)).toMatchObject({ model: 'mine' });
  });
});
