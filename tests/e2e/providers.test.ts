import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

/** A server that answers as it is told; returns its address. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const completion = {
  id: '1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
};

describe('doctor', () => {
  const lineOf = (text: string, provider: string): string =>
    text.split('\n').find((line) => new RegExp(`^\\S+ +${provider} `).test(line)) ?? '';

  it('calls ready only what has answered', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(completion));
    });
    const env = { OLLAMA_BASE_URL: url };
    const looked = await place.run(['doctor'], env);
    expect(lineOf(looked.stdout, 'ollama')).toContain('configured, not checked');
    expect(looked.stdout).not.toContain('ready');
    expect(requests).toBe(0);
    const unnamed = await place.run(['doctor', '--check'], env);
    expect(lineOf(unnamed.stdout, 'ollama')).toContain('configured, not checked: say which model to ask');
    expect(requests).toBe(0);
    const checked = await place.run(['doctor', '--check', '--model', 'ollama/m'], env);
    expect({ code: checked.code, line: lineOf(checked.stdout, 'ollama') }).toEqual({
      code: 0,
      line: expect.stringContaining('ready: ollama/m answered'),
    });
    expect(requests).toBe(1);
  });

  it('says what is wrong with one that does not answer, and exits with 1', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error": {"message": "wrong key"}}');
    });
    const env = { OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: 'sk-very-secret' };
    const { code, stdout } = await place.run(['doctor', '--check', '-m', 'openai-compatible/m', '--json'], env);
    expect(code).toBe(1);
    const checks = JSON.parse(stdout) as readonly { name: string; status: string; found: string; todo?: string }[];
    expect(checks.find(({ name }) => name === 'openai-compatible')).toMatchObject({
      status: 'bad',
      found: 'openai-compatible/m does not answer',
      todo: expect.stringMatching(
        /HTTP 401\): wrong key.*Asked was http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions\./,
      ),
    });
    expect(stdout).not.toContain('sk-very-secret');
  });
});

describe('a key that is missing', () => {
  it('is asked for before anything is started', async () => {
    place.write({
      'keyed.yaml': `workflow: {name: keyed, entry_point: first, runtime: {provider: claude, default_model: claude-x}}
agents:
  - {name: first, type: script, command: touch, args: [begun], routes: [{to: writer}]}
  - {name: writer, prompt: Write something, routes: [{to: $end}]}
`,
    });
    const { code, stderr, stdout } = await place.run(['run', 'keyed.yaml']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('There is no key for anthropic: set ANTHROPIC_API_KEY');
    expect((await place.run(['runs', '--ids'])).stdout).toBe('');
    const mapped = { 'fullstop.config.json': '{"models": {"claude": "openai/gpt-5"}}' };
    place.write(mapped);
    expect((await place.run(['run', 'keyed.yaml'])).stderr).toContain('set OPENAI_API_KEY');
  });

  describe('when a run is resumed', () => {
    const key = { ANTHROPIC_API_KEY: 'sk-ant-very-secret' };

    /** A run that came to its limit before any model was asked. */
    async function stopAtFirst(next: string): Promise<void> {
      place.write({
        'stopping.yaml': `workflow: {name: stopping, entry_point: first, limits: {max_iterations: 1}, runtime: {provider: claude, default_model: claude-x}, input: {write: {type: boolean, default: false}}}
agents:
  - {name: first, type: set, value: "1", routes: [{to: ${next}}]}
  - {name: check, type: set, value: "1", routes: [{to: writer, when: "workflow.input.write"}, {to: $end}]}
  - {name: writer, prompt: Write something, routes: [{to: $end}]}
`,
      });
      expect((await place.run(['run', 'stopping.yaml', '--run-id', 's'], key)).code).toBe(3);
    }
    const more = ['resume', 's', '--max-iterations', '9'];

    it('is asked for where every way leads to the step, and nothing is begun', async () => {
      await stopAtFirst('writer');
      const before = (await place.run(['export', 's'])).stdout;
      const refused = await place.run(more);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('There is no key for anthropic: set ANTHROPIC_API_KEY');
      expect((await place.run(['export', 's'])).stdout).toBe(before);
    });

    it('is not asked for where the run may end without it', async () => {
      await stopAtFirst('check');
      expect(await place.run(more)).toMatchObject({ code: 0 });
    });
  });

  it('is not asked for where a run may end without it', async () => {
    place.write({
      'maybe.yaml': `workflow: {name: maybe, entry_point: first, runtime: {provider: claude, default_model: claude-x}, input: {write: {type: boolean, default: false}}}
agents:
  - {name: first, type: set, value: "1", routes: [{to: writer, when: "workflow.input.write"}, {to: enough}]}
  - {name: enough, type: terminate, status: success, reason: Nothing to write}
  - {name: writer, prompt: Write something, routes: [{to: $end}]}
`,
    });
    expect(await place.run(['run', 'maybe.yaml'])).toMatchObject({ code: 0 });
    const { code, stderr } = await place.run(['run', 'maybe.yaml', '-i', 'write=true', '--run-id', 'r1']);
    expect(code).toBe(1);
    expect(stderr).toContain('ANTHROPIC_API_KEY');
    const { stdout } = await place.run(['why', 'r1']);
    expect(stdout).toContain('provider_auth');
    expect(stdout).toContain('Supply valid credentials for anthropic, then resume');
    expect(stdout).not.toContain('--provider NAME');
  });
});

describe('an error of a provider', () => {
  it.each([
    [503, 4, 'HTTP 503'],
    [401, 1, 'HTTP 401'],
    [400, 1, 'HTTP 400'],
  ])('%i is said once, with the address', async (status, exit, seen) => {
    const url = await serve((_request, response) => {
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end('{"error": {"message": "the engine room is on fire"}}');
    });
    place.write({
      'far.yaml': `workflow: {name: far, entry_point: writer, runtime: {provider: {name: openai, base_url: "${url}", api_key: sk-very-secret}, default_model: m}}
agents: [{name: writer, prompt: Write something, retry: {max_attempts: 1}, routes: [{to: $end}]}]
`,
    });
    const { code, stderr } = await place.run(['run', 'far.yaml']);
    expect(code).toBe(exit);
    expect(stderr.match(/the engine room is on fire/g)).toHaveLength(1);
    expect(stderr).toContain(seen);
    expect(stderr).toContain(`asked ${url}/chat/completions`);
    expect(stderr).not.toContain('sk-very-secret');
  });
});
