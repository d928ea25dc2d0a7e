// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the files hold
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqliteEngine } from '../engines/sqlite/index.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { createSecrets } from '../run/secrets/secrets.js';
import { fileSecrets } from './file-secrets.js';
import { loadWorkflow } from './load-workflow.js';
import { directoryWith } from './workflow.fixture.js';

describe('values from the environment', () => {
  it('are secret by their name, not when they are short or a number', () => {
    const read = ['SERVICE_API_KEY', 'TOKEN_LIMIT', 'PLAIN', 'SHORT_TOKEN', 'PIN_SECRET:-x'];
    const files = { a: read.map((name) => `\${${name}}`).join(' '), b: '${OUTER}' };
    const env = {
      SERVICE_API_KEY: 'key-0123456789',
      TOKEN_LIMIT: 'eight-or-more',
      PLAIN: 'plain-text-here',
      SHORT_TOKEN: 'short',
      PIN_SECRET: '1234567890',
      OUTER: '${DB_PASSWORD}',
      DB_PASSWORD: 'correct horse',
      UNUSED_TOKEN: 'never-read-here',
    };
    expect(fileSecrets(files, env)?.names.toSorted()).toEqual(['DB_PASSWORD', 'SERVICE_API_KEY']);
    expect(fileSecrets({ a: 'nothing' }, env)).toBeUndefined();
  });

  it('reach models and programs, but never the file of the journal', async () => {
    const key = 'sk-live-0123456789abcdef';
    const folder = directoryWith({
      'workflow.yaml': `
workflow: {name: w, entry_point: s}
agents:
  - {name: s, type: set, values: {header: "Bearer \${SERVICE_API_KEY}"}, routes: [{to: p}]}
  - {name: p, type: script, command: sh, args: ["-c", "test \\"$0\\" = \\"Bearer $KEY\\" && echo same; echo $KEY", "{{ s.output.header }}"], env: {KEY: "\${SERVICE_API_KEY}"}, routes: [{to: sub}]}
  - {name: sub, type: workflow, workflow: child.yaml, input_mapping: {key: "\${SERVICE_API_KEY}"}, routes: [{to: m}]}
  - {name: m, prompt: "Ask the service with {{ sub.output.key }}", system_prompt: "key \${SERVICE_API_KEY}"}
output: {said: "{{ m.output.result }}", printed: "{{ p.output.stdout }}"}
`,
      'child.yaml': `
workflow: {name: c, entry_point: s, input: {key: {type: string}}}
agents: [{name: s, type: set, value: "{{ workflow.input.key }}"}]
output: {key: "{{ s.output }}"}
`,
    });
    const asked: string[] = [];
    const model = scriptedModel([{ text: `the key is ${key}` }], {
      onCall: ({ options }) => void asked.push(JSON.stringify(options.prompt)),
    });
    const engine = sqliteEngine(join(folder, 'runs.db'));
    const env = { PATH: process.env['PATH'], SERVICE_API_KEY: key };
    const result = await loadWorkflow(join(folder, 'workflow.yaml'), { env, model }).run({}, { engine });
    await engine.close();
    expect(result.termination.kind).toBe('flow_completed');
    expect(asked[0]?.split(key)).toHaveLength(3);
    expect(result.output).toEqual({
      said: 'the key is {{secret:SERVICE_API_KEY}}',
      printed: 'same\n{{secret:SERVICE_API_KEY}}\n',
    });
    const stored = readdirSync(folder).filter((name) => name.startsWith('runs.db'));
    const bytes = stored.map((name) => readFileSync(join(folder, name), 'latin1')).join('');
    expect(bytes).toContain('${SERVICE_API_KEY}');
    expect(bytes.includes(key)).toBe(false);
  });

  it('are sealed although the file does not name them, encoded too', async () => {
    const key = 'sk-live-0123456789abcdef';
    const folder = directoryWith({
      'workflow.yaml': `
workflow: {name: w, entry_point: p}
agents:
  - {name: p, type: script, command: sh, args: ["-c", "echo $OTHER_API_KEY; printf 'user:%s' $OTHER_API_KEY | base64; echo $WORD_TOKEN $IN_FILE_TOKEN"]}
output: {printed: "{{ p.output.stdout }} public-text-of-the-file"}
`,
    });
    const engine = sqliteEngine(join(folder, 'runs.db'));
    const env = {
      PATH: process.env['PATH'],
      OTHER_API_KEY: key,
      WORD_TOKEN: 'production',
      IN_FILE_TOKEN: 'public-text-of-the-file',
    };
    const result = await loadWorkflow(join(folder, 'workflow.yaml'), { env }).run({}, { engine });
    await engine.close();
    const { printed } = result.output as { readonly printed: string };
    expect(printed).toContain('{{secret:OTHER_API_KEY}}\n');
    expect(printed).toContain('{{secret:OTHER_API_KEY:base64.');
    expect(printed).toContain('production public-text-of-the-file');
    const bytes = readdirSync(folder)
      .filter((name) => name.startsWith('runs.db'))
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('');
    expect(bytes.includes(key)).toBe(false);
    expect(bytes).not.toContain(Buffer.from(`user:${key}`).toString('base64').slice(8, -4));
  });

  it('make way for a secret of the caller that has the same name', async () => {
    const workflow = loadWorkflow('/flow/w.yaml', {
      text: 'workflow: {name: w, entry_point: a}\nagents: [{name: a, type: set, value: "{{ workflow.input.t }}"}]\noutput: {t: "{{ a.output }}"}',
      env: { APP_TOKEN: 'value-of-the-environment' },
      secrets: createSecrets({ APP_TOKEN: 'value-of-the-caller' }),
    });
    const { output } = await workflow.run({ t: 'value-of-the-environment value-of-the-caller' });
    expect(output).toEqual({ t: '{{secret:env.APP_TOKEN}} {{secret:APP_TOKEN}}' });
  });

  it('are not put back where someone writes their placeholder: only what the file names is used', async () => {
    const [hidden, used] = ['sk-hidden-0123456789', 'sk-used-0123456789'];
    const asked: string[] = [];
    const model = scriptedModel([{ text: '{{secret:HIDDEN_API_KEY}} {{secret:USED_API_KEY}}' }], {
      onCall: ({ options }) => void asked.push(JSON.stringify(options.prompt)),
    });
    const workflow = loadWorkflow('/flow/w.yaml', {
      text: `
workflow: {name: w, entry_point: m}
agents:
  - {name: m, prompt: "{{ workflow.input.page }} \${USED_API_KEY}", routes: [{to: p}]}
  - {name: p, type: script, command: sh, args: ["-c", "printf %s \\"$1\\" | wc -c", x, "{{ m.output.result }}"]}
output: {length: "{{ p.output.stdout }}"}
`,
      env: { PATH: process.env['PATH'], HIDDEN_API_KEY: hidden, USED_API_KEY: used },
      model,
    });
    const { output, summary } = await workflow.run({ page: 'a page with {{secret:HIDDEN_API_KEY}}' });
    expect(asked[0]).toContain(used);
    expect(asked[0]).not.toContain(hidden);
    expect([summary, output]).toEqual([
      expect.any(String),
      { length: '{{secret:HIDDEN_API_KEY}} '.length + used.length },
    ]);
  });
});
