import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { verifyNotice } from 'fullstop/notices';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binary, Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

const commands = (help: string): readonly string[] =>
  [...help.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name ?? '');

describe('the program', () => {
  it('says its version', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../packages/cli/package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(await place.run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('has help for itself and for every command', async () => {
    const { stdout } = await place.run(['--help']);
    const names = commands(stdout);
    expect(names).toHaveLength(29);
    for (const name of names) {
      const help = await place.run([name, '--help']);
      expect(help.stdout).toContain(`fullstop ${name}`);
      expect(help.code).toBe(0);
    }
  });

  it('writes a starter workflow that runs at once, and not over what is there', async () => {
    expect((await place.run(['init'])).code).toBe(0);
    const { code, stdout } = await place.run([
      'run',
      'triage.yaml',
      '--scripted',
      'triage.script.yaml',
      '-i',
      'ticket=Where is my parcel?',
    ]);
    expect({ code, topic: (JSON.parse(stdout) as { topic: string }).topic }).toEqual({ code: 0, topic: 'delivery' });
    expect((await place.run(['init'])).stderr).toContain('exist already; nothing was written');
  });

  it('validates files, with every problem and its place', async () => {
    const { code, stdout, stderr } = await place.run(['validate', 'refund.yaml', 'broken.yaml']);
    expect(code).toBe(2);
    expect(stdout).toContain('✓ refund.yaml');
    expect(stdout).toContain('✗ broken.yaml');
    expect(stderr).toMatch(/broken\.yaml:3:\d+ error/);
    expect((await place.run(['validate', 'refund.yaml', '--endings'])).stdout).toContain('terminated (failed)');
  });

  it('says in validate and run which keys do nothing, and where they are', async () => {
    place.write({
      'idle.yaml': `
workflow: {name: idle, entry_point: a}
agents:
  - name: a
    prompt: x
    session_key: s
`,
      'idle.script.yaml': 'answers: {a: [{text: done}]}',
    });
    const warning = "'session_key' has no effect here";
    const checked = await place.run(['validate', 'idle.yaml']);
    expect(checked.code).toBe(0);
    expect(checked.stderr).toContain('idle.yaml:6:18');
    expect(checked.stderr).toContain(warning);
    const ran = await place.run(['run', 'idle.yaml', '--scripted', 'idle.script.yaml']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`idle.yaml:6:18: ${warning}`);
  });

  it('says that agents run without tools that nothing offers', async () => {
    place.write({
      'tools.yaml': 'workflow: {name: t, entry_point: a}\ntools: [search]\nagents: [{name: a, prompt: x}]\n',
      'tools.script.yaml': 'answers: {a: [{text: done}]}',
    });
    const { code, stderr } = await place.run(['run', 'tools.yaml', '--scripted', 'tools.script.yaml']);
    expect(code).toBe(0);
    expect(stderr).toContain('tools.yaml:2:8: agents run without search');
  });

  it('draws workflows and prints their schema', async () => {
    expect((await place.run(['graph', 'refund.yaml'])).stdout).toMatch(/^flowchart TD/);
    await place.run(['graph', 'refund.yaml', '--svg', 'refund.svg']);
    const svg = readFileSync(place.path('refund.svg'), 'utf8');
    expect(svg.match(/<g class=/g)?.length).toBe(5);
    expect(svg).not.toMatch(/NaN|undefined/);
    expect(await place.json(['schema'])).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });

  it('looks around without keys and says where each setting comes from', async () => {
    place.write({ 'fullstop.config.yaml': 'store: data/runs.db\nsecrets: [API_KEY]\n' });
    const { code, stdout } = await place.run(['doctor'], { OPENAI_API_KEY: 'sk-very-secret' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/store +.*data\/runs\.db {2}\(.*fullstop\.config\.yaml\)/);
    expect(stdout).toContain('API_KEY is not set');
    expect(stdout).not.toContain('sk-very-secret');
  });

  it('takes defaults from the configuration, and says what is wrong with it', async () => {
    place.write({ 'fullstop.config.json': '{"defaults": {"run": {"skip-gates": true}}}' });
    expect((await place.run(['run', 'refund.yaml', '-i', 'age=60'])).code).toBe(0);
    place.write({ 'fullstop.config.json': '{"stor": "x", "defaults": {"run": {"skip-gate": true}}}' });
    const wrong = await place.run(['runs']);
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('stor is not a setting (did you mean "store"?)'),
    });
  });

  it('masks secrets on every way out, and keeps them out of the journal', async () => {
    place.write({
      'fullstop.config.mjs': "export default { secrets: ['API_KEY'] };\n",
      'leak.yaml': `workflow: {name: leak, entry_point: call}
agents:
  - {name: call, type: script, command: sh, args: ["-c", "echo key is $API_KEY"], routes: [{to: $end}]}
output: {said: "{{ call.output.stdout }}"}
`,
    });
    const secret = 'sk-live-4711-0815';
    const { stdout, code } = await place.run(['run', 'leak.yaml'], { API_KEY: secret });
    expect(code).toBe(0);
    expect(stdout).toContain('key is');
    expect(stdout).not.toContain(secret);
    expect((await place.run(['events'], { API_KEY: secret })).stdout).not.toContain(secret);
    expect(readFileSync(place.path('.fullstop/runs.db')).includes(secret)).toBe(false);
  });

  it('counts with the prices of the configuration, and notifies its webhooks of the ending', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const told: string[] = [];
    const server = createServer(async (request, response) => {
      const { envelope } = await verifyNotice(request.headers, await text(request), secret);
      told.push(`${envelope.name} ${envelope.termination.kind}`);
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
    const prices = { scripted: { inputPerMillion: 1000, outputPerMillion: 5000 } };
    place.write({ 'fullstop.config.json': JSON.stringify({ onEnding: { ops: { url, secret } }, prices }) });
    const { stdout } = await place.run(['run', 'ask.yaml', '--scripted', 'good.script.yaml', '--json']);
    server.close();
    expect(JSON.parse(stdout)).toMatchObject({ output: { text: 'Hello' }, costUsd: 0.2 });
    expect(told).toEqual(['ask flow_completed']);
  });

  it.each(['bash', 'zsh', 'fish'])('prints completions that %s can read', async (shell) => {
    const { stdout, code } = await place.run(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('what-if');
    const checker = shell === 'zsh' ? 'bash' : shell;
    const checked = spawnSync(checker, ['-n'], { input: stdout.replace(/^autoload.*$/m, ''), encoding: 'utf8' });
    // A shell that is not installed checks nothing; the others must find nothing.
    expect(checked.error === undefined ? checked.stderr : '').toBe('');
  });

  it('completes commands and options in bash', async () => {
    const { stdout } = await place.run(['completion', 'bash']);
    const complete = (words: readonly string[]): readonly string[] => {
      const script = `${stdout}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _fullstop; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter((line) => line !== '');
    };
    expect(complete(['fullstop', 'ru'])).toEqual(['run', 'runs']);
    expect(complete(['fullstop', 'runs', '--cat'])).toEqual(['--category']);
    expect(complete(['fullstop', 'runs', '--category', 'ca'])).toEqual(['cancelled', 'capacity']);
  });

  it('annotates the run and writes the job summary in GitHub Actions', async () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: place.path('summary.md') };
    const { stderr, stdout } = await place.run(['run', 'refund.yaml', '-i', 'age=120'], env);
    expect(stderr).toContain(
      '::error title=refund%3A terminated::Terminated as a failure by refuse: order is 120 days old.',
    );
    expect(JSON.parse(stdout)).toEqual({ refunded: false });
    expect(readFileSync(place.path('summary.md'), 'utf8')).toContain('### ❌ Terminated as a failure by refuse');
  });

  it('is one file that loads each command on demand', () => {
    expect(readFileSync(binary, 'utf8').length).toBeLessThan(2000);
    expect(existsSync(binary.replace('main.js', 'chunks/store-thread.js'))).toBe(true);
  });
});
