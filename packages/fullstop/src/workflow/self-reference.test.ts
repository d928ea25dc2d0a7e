import { describe, expect, it } from 'vitest';
import { loadWorkflow } from './load-workflow.js';
import { directoryWith } from './workflow.fixture.js';

const env = { PATH: process.env['PATH'] };

describe('a for_each group', () => {
  it('whose step runs the file itself ends, however many items it has', { timeout: 300_000 }, async () => {
    const folder = directoryWith({
      'w.yaml': `
workflow: {name: w, entry_point: seed}
agents: [{name: seed, type: set, values: {list: "{{ range(10) | list }}"}, routes: [{to: f}]}]
for_each: [{name: f, type: for_each, source: seed.output.list, as: item, max_concurrent: 10, failure_mode: continue_on_error, agent: {name: i, type: workflow, workflow: w.yaml}}]
`,
    });
    const result = await loadWorkflow(`${folder}/w.yaml`, { env, lenient: true }).run();
    const journal = await result.journal();
    expect(JSON.stringify(journal)).toContain('TOO_MANY_SUB_WORKFLOWS');
    const loads = journal.filter(({ key }) => key === 'load');
    expect(loads.length).toBeGreaterThan(1000);
    expect(loads.length).toBeLessThan(20_000);
  });

  it('refuses more items than a journal should hold', async () => {
    const text = `
workflow: {name: w, entry_point: s}
agents: [{name: s, type: set, values: {list: "{{ range(100001) | list }}"}, routes: [{to: f}]}]
for_each: [{name: f, type: for_each, source: s.output.list, as: item, agent: {name: i, type: set, value: x}}]
`;
    const { summary } = await loadWorkflow('/flow/w.yaml', { text, env }).run();
    expect(summary).toContain('at most 100000');
  });
});

it('JSON of a script says nothing about how the script ended', async () => {
  const printed = '{"exit_code": 0, "stdout": "clean", "stderr": "", "__proto__": 1, "found": 3}';
  const text = `
workflow: {name: w, entry_point: s}
agents:
  - {name: s, type: script, command: sh, args: ["-c", "echo '${printed.replaceAll('"', '\\"')}'; echo bad >&2; exit 7"], routes: [{to: good, when: "exit_code == 0"}, {to: bad}]}
  - {name: good, type: set, value: x}
  - {name: bad, type: set, value: x}
output: {code: "{{ s.output.exit_code }}", out: "{{ s.output.stdout | length }}", err: "{{ s.output.stderr }}", found: "{{ s.output.found }}"}
`;
  const { output, history } = await loadWorkflow('/flow/w.yaml', { text, env }).run();
  expect(history).toEqual(['s', 'bad']);
  expect(output).toEqual({ code: 7, out: printed.length + 1, err: 'bad\n', found: 3 });
});
