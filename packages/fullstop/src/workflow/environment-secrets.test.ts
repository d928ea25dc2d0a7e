// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the files hold
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqliteEngine } from '../engines/sqlite/index.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { environmentSecrets } from './environment-secrets.js';
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
    expect(environmentSecrets(files, env)?.names.toSorted()).toEqual(['DB_PASSWORD', 'SERVICE_API_KEY']);
    expect(environmentSecrets({ a: 'nothing' }, env)).toBeUndefined();
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
});
