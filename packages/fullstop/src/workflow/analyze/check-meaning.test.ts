import { describe, expect, it } from 'vitest';
import { loadText, problemsOf, workflowOf } from '../load/load-text.fixture.js';

const set = (name: string, extra = ''): string => `{name: ${name}, type: set, value: x${extra}}`;
const gate = (route: string): string =>
  `{name: g, type: human_gate, prompt: x, options: [{label: x, value: x, route: ${route}}]}`;
const group = (members: readonly string[], ...steps: readonly string[]): string =>
  [
    workflowOf(...steps).replace(/entry_point: \w+/, 'entry_point: all'),
    `parallel: [{name: all, agents: [${members.join(', ')}]}]`,
  ].join('\n');
const forEach = (step: string, extra = ''): string =>
  `${workflowOf(set('a'))}\nfor_each: [{name: each, type: for_each, source: a.output.x, as: item, agent: ${step}${extra}}]`;
const withSettings = (settings: string, ...steps: readonly string[]): string =>
  workflowOf(...steps).replace('name: w,', `name: w, ${settings},`);

describe('what is an error before a run', () => {
  it.each<[string, string, string, string]>([
    [
      'a gate that leads nowhere',
      workflowOf(gate('gone')),
      'agents.0.options.0.route',
      "unknown agent or parallel group 'gone'",
    ],
    [
      'an abort route that leads nowhere',
      workflowOf('{name: a, type: questions, questions: [{text: x}], allow_abort: true, abort_route: gone}'),
      'agents.0.abort_route',
      "unknown agent or parallel group 'gone'",
    ],
    ['two steps of one name', workflowOf(set('a'), set('a')), 'agents.1.name', 'Duplicate names'],
    [
      'a step and a group of one name',
      `${group(['b', 'c'], set('all'), set('b'), set('c'))}`,
      'parallel.0.name',
      'Duplicate names',
    ],
    [
      'an unknown tool',
      `${workflowOf('{name: a, tools: [serch]}')}\ntools: [search]`,
      'agents.0.tools.0',
      'did you mean "search"?',
    ],
    ['a malformed input', workflowOf('{name: a, input: ["a b"]}'), 'agents.0.input.0', 'invalid input reference'],
    [
      'an input from an unknown step',
      workflowOf('{name: a, input: [zed.output]}'),
      'agents.0.input.0',
      "unknown agent 'zed'",
    ],
    [
      'an input from an unknown group',
      workflowOf('{name: a, input: [zed.outputs]}'),
      'agents.0.input.0',
      "unknown parallel group 'zed'",
    ],
    [
      'an unknown workflow input',
      workflowOf('{name: a, input: [workflow.input.x]}'),
      'agents.0.input.0',
      "unknown workflow input 'x'",
    ],
    [
      'routes of a member',
      group(['a', 'b'], set('a', ', routes: [{to: $end}]'), set('b')),
      'parallel.0.agents.0',
      'cannot have routes',
    ],
    ['a gate in a group', group(['g', 'b'], gate('$end'), set('b')), 'parallel.0.agents.0', 'is a human gate'],
    [
      'questions in a group',
      group(['q', 'b'], '{name: q, type: questions, questions: [{text: x}]}', set('b')),
      'parallel.0.agents.0',
      'is a questions step',
    ],
    [
      'a member that needs another',
      group(['a', 'b'], '{name: a, input: [b.output]}', set('b')),
      'parallel.0.agents.0',
      "another agent 'b'",
    ],
    [
      'an unknown step in a prompt',
      workflowOf('{name: a, prompt: "{{ zed.output.x }}"}'),
      'agents.0.prompt',
      "unknown agent 'zed'",
    ],
    [
      'an unknown group in a value',
      workflowOf('{name: a, type: set, value: "{{ zed.errors }}"}'),
      'agents.0.value',
      "unknown agent 'zed'",
    ],
    [
      'an unknown step in a reason',
      workflowOf('{name: t, type: terminate, status: failed, reason: "{{ zed.output }}"}'),
      'agents.0.reason',
      "unknown agent 'zed'",
    ],
    [
      'an unknown step in an output template',
      workflowOf('{name: t, type: terminate, status: failed, reason: x, output_template: {v: "{{ zed.output }}"}}'),
      'agents.0.output_template.v',
      "unknown agent 'zed'",
    ],
    [
      'an unknown step in the output',
      `${workflowOf(set('a'))}\noutput: {v: "{{ zed.output }}"}`,
      'output.v',
      "Workflow output 'v' references unknown agent 'zed'",
    ],
    [
      'an unknown step in a condition',
      workflowOf(set('a', ', routes: [{to: $end, when: "{{ zed.output.x }}"}]')),
      'agents.0.routes.0.when',
      "unknown agent 'zed'",
    ],
    [
      'an unknown input among declared ones',
      withSettings('input: {topic: {type: string}}', '{name: a, prompt: "{{ workflow.input.topik }}"}'),
      'agents.0.prompt',
      'did you mean "topic"?',
    ],
    ['a template that is broken', workflowOf('{name: a, prompt: "{{ x"}'), 'agents.0.prompt', 'Template syntax error'],
    [
      'a filter that does not exist',
      workflowOf('{name: a, prompt: "{{ workflow.name | shout }}"}'),
      'agents.0.prompt',
      "No filter named 'shout'",
    ],
    [
      'a condition that is broken',
      workflowOf(set('a', ', routes: [{to: $end, when: "output =="}]')),
      'agents.0.routes.0.when',
      '',
    ],
    [
      'a sub-workflow that is not there',
      workflowOf('{name: a, type: workflow, workflow: gone.yaml}'),
      'agents.0.workflow',
      "sub-workflow file not found: 'gone.yaml'",
    ],
    [
      'a module that is not there',
      workflowOf('{name: a, type: pipeline, use: "./gone.mjs#x"}'),
      'agents.0.use',
      'File not found',
    ],
  ])('%s', (_, text, path, message) => {
    const problems = problemsOf(text);
    expect(problems).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        stage: 'semantic',
        path,
        message: expect.stringContaining(message),
      }),
    );
    expect(loadText(text, { lenient: true })).toMatchObject({ ok: true });
  });

  it('stays a warning when loading leniently', () => {
    const result = loadText(workflowOf('{name: a, prompt: "{{ zed.output.x }}"}'), { lenient: true });
    expect(result.ok && result.loaded.warnings).toMatchObject([{ severity: 'warning', stage: 'semantic' }]);
  });
});

describe('what is a warning', () => {
  it.each<[string, string, string, string]>([
    [
      'an optional input from an unknown step',
      workflowOf('{name: a, input: ["zed.output?"]}'),
      'agents.0.input.0',
      "unknown agent 'zed'",
    ],
    [
      'a system prompt without a prompt',
      workflowOf('{name: a, system_prompt: x}'),
      'agents.0.system_prompt',
      'no `prompt`',
    ],
    [
      'a name that is not defined',
      workflowOf('{name: a, prompt: "{{ topic }}"}'),
      'agents.0.prompt',
      "'topic', which is not defined here",
    ],
    [
      'the bare name of an input',
      withSettings('input: {topic: {type: string}}', '{name: a, prompt: "{{ topic }}"}'),
      'agents.0.prompt',
      'did you mean "workflow.input.topic"?',
    ],
    [
      'a field that a step does not declare',
      workflowOf(
        '{name: a, output: {title: {type: string}}, routes: [{to: b}]}',
        '{name: b, prompt: "{{ a.output.titl }}"}',
      ),
      'agents.1.prompt',
      'did you mean "title"?',
    ],
    ['routes of an item', forEach(set('i', ', routes: [{to: $end}]')), 'for_each.0.agent.routes', 'have no effect'],
    [
      'an output that some way leaves out',
      `${workflowOf(set('a', ', routes: [{to: b, when: "output == 1"}, {to: $end}]'), set('b'))}\noutput: {v: "{{ b.output }}"}`,
      'output.v',
      "references 'b' which may not run on all paths, such as a → $end",
    ],
  ])('%s', (_, text, path, message) => {
    const result = loadText(text);
    expect(result.ok && result.loaded.warnings).toContainEqual(
      expect.objectContaining({ severity: 'warning', path, message: expect.stringContaining(message) }),
    );
  });
});

describe('what is fine', () => {
  it.each([
    ['an input when none are declared', workflowOf('{name: a, prompt: "{{ workflow.input.x }}"}')],
    [
      'a guarded name',
      workflowOf('{name: a, prompt: "{{ topic | default(1) }}{% if mood is defined %}{{ mood }}{% endif %}"}'),
    ],
    [
      'names that a template makes itself',
      workflowOf(
        '{name: a, prompt: "{% set x = 1 %}{{ x }}{% for y in [1] %}{{ y }}{{ loop.index }}{% endfor %}{{ range(3) | list }}"}',
      ),
    ],
    [
      'the output in routes',
      workflowOf(
        set('a', ', routes: [{to: $end, when: "{{ output == 1 }}", output: {v: "{{ output }}"}}, {to: $end}]'),
      ),
    ],
    [
      'fields in plain conditions',
      workflowOf(set('a', ', routes: [{to: $end, when: "score > 3 and output_x == 1"}, {to: $end}]')),
    ],
    [
      'dotted names in plain conditions',
      workflowOf(set('a', ', routes: [{to: $end, when: "not a.output.safe"}, {to: $end}]')),
    ],
    [
      'the ending and the error in error routes',
      workflowOf(set('a', ', on_error: [{to: $end, when: "{{ ending.kind == error.kind }}"}]')),
    ],
    [
      'the loop variables of an item',
      forEach('{name: i, type: set, value: "{{ item }} {{ _index }} {{ _key | default(0) }}"}'),
    ],
    ['hooks', withSettings('hooks: {on_complete: "{{ result.x }}", on_error: "{{ error.message }}"}', set('a'))],
    [
      'programs, waits and sub-workflows in a group',
      group(
        ['a', 'b', 'c'],
        '{name: a, type: script, command: x}',
        '{name: b, type: wait, duration: 1s}',
        '{name: c, type: workflow, workflow: child.yaml}',
      ),
    ],
    ['a program for each item', forEach('{name: i, type: script, command: "{{ item }}"}')],
    [
      'an output that is guarded',
      `${workflowOf(set('a', ', routes: [{to: b, when: "output == 1"}, {to: $end}]'), set('b'))}\noutput: {v: "{{ b.output | default(1) }}"}`,
    ],
    [
      'an explicit end with an output of its own',
      `${workflowOf(set('a', ', routes: [{to: t, when: "output == 1"}, {to: b}]'), set('b'), '{name: t, type: terminate, status: success, reason: x, output_template: {}}')}\noutput: {v: "{{ b.output }}"}`,
    ],
  ])('%s', (_, text) => {
    expect(problemsOf(text, { files: { 'child.yaml': workflowOf(set('z')) } })).toEqual([]);
  });
});

describe('places of problems inside texts', () => {
  it('are those of the name, in every way to write a text', () => {
    const text = [
      'workflow: {name: w, entry_point: a}',
      'agents:',
      '  - name: a',
      '    system_prompt: "Be {{ one.output }}"',
      '    prompt: |',
      '      First',
      '        {{ two.output }}',
      '    routes:',
      '      - to: $end',
      '        output:',
      '          plain: it is {{ three.output }}',
    ].join('\n');
    const places = problemsOf(text).map(
      ({ line, column, message }) => `${line}:${column} ${/'(\w+)'$/.exec(message)?.[1]}`,
    );
    expect(places).toEqual(['4:27 one', '7:12 two', '11:27 three']);
  });

  it('are in the file that the text comes from', () => {
    const problems = problemsOf(workflowOf('{name: a, prompt: !file p.md}'), {
      files: { 'p.md': 'Hi\n{{ zed.output }}' },
    });
    expect(problems).toMatchObject([{ file: '/flow/p.md', line: 2, column: 4, path: 'agents.0.prompt' }]);
  });
});

describe('prompts in files', () => {
  const text = workflowOf('{name: a, prompt: !file prompts/p.md}');

  it('may include files beside them', () => {
    const files = {
      'prompts/p.md': "{% include 'tone.md' %}",
      'prompts/tone.md': "{% import 'm.md' as m %}",
      'prompts/m.md': '',
    };
    const result = loadText(text, { files });
    expect(result.ok && Object.keys(result.loaded.files)).toContain('/flow/prompts/m.md');
  });

  it('name a file that is missing, unless that is allowed', () => {
    const missing = { 'prompts/p.md': "Hello\n{% include 'gone.md' %}" };
    expect(problemsOf(text, { files: missing })).toMatchObject([
      { code: 'FILE_NOT_FOUND', file: '/flow/prompts/p.md', line: 2, column: 1 },
    ]);
    const allowed = { 'prompts/p.md': "{% include 'gone.md' ignore missing %}" };
    expect(problemsOf(text, { files: allowed })).toEqual([]);
  });
});
