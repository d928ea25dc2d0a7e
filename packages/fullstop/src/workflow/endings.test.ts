import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { loadWorkflow } from './load-workflow.js';
import { directoryWith, runText } from './workflow.fixture.js';

describe('a workflow ends', () => {
  const step = (fields: string, more = ''): string =>
    `workflow: {name: w, entry_point: a${more}}\nagents: [{name: a, ${fields}}]\noutput: {v: "1"}\n`;

  it.each([
    [
      'no route applies',
      step('type: set, value: "{k: 1}", routes: [{to: $end, when: "k == 2"}]'),
      { kind: 'no_route', step: 'a', output: { k: 1 } },
    ],
    [
      'a template fails',
      step('type: set, value: "{{ ghost }}"'),
      { kind: 'failed', errorClass: 'configuration', error: { name: 'TemplateError' } },
    ],
    [
      'an output is no number',
      `workflow: {name: w, entry_point: a}\nagents: [{name: a, type: set, value: "1"}]\noutput: {v: "[1, {\\"k\\": NaN}]"}\n`,
      {
        kind: 'failed',
        error: { code: 'NOT_JSON', message: 'output.v[1].k is no number (NaN), which JSON has no word for' },
      },
    ],
    [
      'a condition fails',
      step('type: set, value: "1", routes: [{to: $end, when: "ghost > 1"}]'),
      { kind: 'failed', error: { name: 'ValueError' } },
    ],
    [
      'an output does not fit',
      step('type: set, value: "{k: x}", output: {k: {type: number}}'),
      { kind: 'failed', error: { name: 'ValidationError' } },
    ],
    [
      'a program cannot start',
      step('type: script, command: no-such-program-here'),
      { kind: 'failed', error: { code: 'SCRIPT_ENOENT' } },
    ],
    [
      'nobody answers a gate',
      step('type: human_gate, prompt: "?", options: [{label: L, value: v, route: $end}]'),
      { kind: 'gate_pending', gates: [{ gateId: 'a' }] },
    ],
    ['a model refuses the key', step('prompt: go'), { kind: 'child_failed', termination: { kind: 'provider_auth' } }],
    [
      'its time is up',
      step('type: wait, duration: 1h', ', limits: {timeout_seconds: 5}'),
      { kind: 'time_budget', limitMs: 5000 },
    ],
    [
      'its steps are used up',
      step('type: set, value: "1", routes: [{to: a}]', ', limits: {max_iterations: 2}'),
      { kind: 'max_iterations', limit: 2, used: 2, unit: 'step' },
    ],
  ])('when %s', async (_, text, termination) => {
    const result = await runText(text, { lenient: true, model: scriptedModel([{ error: 'auth' }]) });
    expect(result.termination).toMatchObject(termination);
    expect(result).toMatchObject({ open: true, persisted: true });
  });

  it('with the route that was taken, and what its condition read', async () => {
    const result = await runText(
      step(
        'type: set, values: {k: "7"}, routes: [{to: a, when: "k > 100"}, {to: $end, when: "{{ output.k < a.output.k + workflow.input.n }}"}]',
        ', input: {n: {type: number, default: 3}}',
      ),
      { lenient: true },
    );
    const route = result.observations.find(({ type }) => type === 'route');
    expect(route).toMatchObject({
      from: 'a',
      to: '$end',
      route: 1,
      values: { 'output.k': 7, 'a.output.k': 7, 'workflow.input.n': 3 },
      iterations: 1,
      limit: 10,
    });
  });
});

describe('skills and working directories', () => {
  const skill = '---\nname: notes\ndescription: d\n---\nWrite short notes.';
  const folder = (): string => {
    const directory = directoryWith({});
    mkdirSync(join(directory, 'skills/notes'), { recursive: true });
    writeFileSync(join(directory, 'skills/notes/SKILL.md'), skill);
    return directory;
  };
  const run = async (fields: string, runtime = ''): Promise<{ prompts: string[]; termination: unknown }> => {
    const prompts: string[] = [];
    const model = scriptedModel([{ text: 'ok' }], {
      onCall: ({ options }) => prompts.push(JSON.stringify(options.prompt)),
    });
    const file = join(folder(), 'w.yaml');
    writeFileSync(file, `workflow: {name: w, entry_point: m${runtime}}\nagents: [{name: m, prompt: go${fields}}]\n`);
    const { termination } = await loadWorkflow(file, { model, lenient: true }).run();
    return { prompts, termination };
  };

  it('put the text of skills before the prompt, those of the step instead of those of the file', async () => {
    expect((await run(', skills: [./skills/notes]')).prompts[0]).toContain('Write short notes.\\n</skills>\\n\\ngo');
    expect((await run('', ', runtime: {skills: [./skills]}')).prompts[0]).toContain('Write short notes.');
    expect((await run(', skills: []', ', runtime: {skills: [./skills]}')).prompts[0]).not.toContain(
      'Write short notes.',
    );
  });

  it('fail the step when they are not there or too large', async () => {
    const large = await run(
      ', skills: [./skills/notes]',
      ', runtime: {skill_injection: {warn_bytes: 1, max_bytes: 10}}',
    );
    expect(JSON.stringify(large.termination)).toContain('at most 10 may be put into a prompt');
    expect(JSON.stringify((await run(', working_dir: ./nowhere')).termination)).toContain('is no directory');
    expect((await run(', working_dir: "./{{ \'skills\' }}"')).termination).toEqual({
      kind: 'flow_completed',
      last: 'm',
    });
  });
});
