// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the files hold
import { describe, expect, it } from 'vitest';
import { loadText, problemsOf, workflowOf } from './load-text.fixture.js';

/** `line:column code path`, the way to look at many problems. */
function seen(text: string, options: Parameters<typeof problemsOf>[1] = {}): readonly string[] {
  return problemsOf(text, options).map(({ line, column, code, path }) => `${line}:${column} ${code} ${path}`);
}

const good = workflowOf('{name: a, type: set, value: x}');

describe('problems of meaning beside problems of the schema', () => {
  it('are reported at once, each with its location, the text and a suggestion', () => {
    const text = `
workflow: {name: w, entry_point: first, limits: {max_iterations: lots}}
agents:
  - {name: first, type: script, command: echo, args: [1]}
  - {name: second, prompt: "{{ frist.output.stdout }}", routes: [{to: secnod}]}
  - {name: gate, type: human_gate, prompt: hm, options: [{label: A, value: a, route: scond}]}
`;
    expect(problemsOf(text)).toMatchObject([
      { line: 2, column: 66, code: 'WRONG_TYPE', text: 'lots', stage: 'schema' },
      { line: 4, column: 55, code: 'WRONG_TYPE', text: '1', hint: 'Put it in quotes', stage: 'schema' },
      {
        line: 5,
        column: 32,
        code: 'UNKNOWN_REFERENCE',
        message: expect.stringContaining('"first"'),
        stage: 'semantic',
      },
      { line: 5, column: 71, code: 'UNKNOWN_STEP', text: 'secnod', message: expect.stringContaining('"second"') },
      { line: 6, column: 86, code: 'UNKNOWN_STEP', text: 'scond', stage: 'semantic' },
    ]);
  });

  it('are reported for sub-workflows too', () => {
    const text = workflowOf('{name: a, type: workflow, workflow: c.yaml, routes: [{to: b}]}', '{name: b, promt: x}');
    const child = workflowOf('{name: a, type: set, value: "{{ nix.output }}"}');
    expect(problemsOf(text, { files: { 'c.yaml': child } })).toMatchObject([
      { file: '/flow/workflow.yaml', line: 3, code: 'BAD_WORKFLOW' },
      { file: '/flow/workflow.yaml', line: 4, code: 'UNKNOWN_KEY' },
      { file: '/flow/c.yaml', line: 3, code: 'UNKNOWN_REFERENCE' },
    ]);
  });

  it('are reported next to variables that are not set, and duplicate keys', () => {
    const text = workflowOf(
      '{name: a, model: x, model: y, prompt: "${GONE}", routes: [{to: c}]}',
      '{name: c, prompt: "{{ nix.output }}"}',
    );
    expect(seen(text)).toEqual([
      '3:25 DUPLICATE_KEY ',
      '3:43 ENVIRONMENT_VARIABLE agents.0.prompt',
      '4:27 UNKNOWN_REFERENCE agents.1.prompt',
    ]);
  });

  it('stay problems of meaning with lenient', () => {
    const result = loadText(workflowOf('{name: a, promt: x}', '{name: b, prompt: "{{ nix.output }}"}'), {
      lenient: true,
    });
    expect(result.ok).toBe(false);
    expect(!result.ok && result.problems.map(({ code, severity }) => [code, severity])).toEqual([
      ['UNKNOWN_KEY', 'error'],
      ['UNKNOWN_REFERENCE', 'warning'],
    ]);
  });

  it.each([
    [
      'a step that cannot be read is still there',
      `${good}\n  - {name: b, typ: set}\noutput: {v: "{{ b.output.y }}"}`,
      ['4:15 UNKNOWN_KEY agents.1.typ'],
    ],
    [
      'a group that cannot be read is still there',
      `${good}\nparallel: [{name: g, agents: [a]}]\noutput: {v: "{{ g.outputs.a }}"}`,
      ['4:30 TOO_FEW parallel.0.agents'],
    ],
    [
      'a for_each that cannot be read is still there, and its item is not asked for',
      `${good}\nfor_each: [{name: f, type: for_each, source: a.output.list, as: item, agent: {name: i, prmpt: "{{ item }}"}}]\noutput: {v: "{{ f.outputs }}"}`,
      ['4:88 UNKNOWN_KEY for_each.0.agent.prmpt'],
    ],
    [
      'a step without a name may be any',
      'workflow: {name: w, entry_point: a}\nagents:\n  - {nmae: a, prompt: x}\n  - {name: b, prompt: "{{ a.output }}", routes: [{to: a}]}',
      ['3:5 MISSING_KEY agents.0.name', '3:6 UNKNOWN_KEY agents.0.nmae'],
    ],
    [
      'steps that are no list may be any',
      'workflow: {name: w, entry_point: a}\nagents: {a: {prompt: x}}\noutput: {v: "{{ a.output }}"}',
      ['2:9 WRONG_TYPE agents'],
    ],
    [
      'an input whose definition is wrong is still there',
      'workflow: {name: w, entry_point: a, input: {t: {type: txt}}}\nagents: [{name: a, prompt: "{{ workflow.input.t }}", input: [workflow.input.t]}]',
      ['1:55 NOT_A_CHOICE workflow.input.t.type'],
    ],
    [
      'inputs that cannot be read may be any',
      'workflow: {name: w, entry_point: a, input: [t]}\nagents: [{name: a, prompt: "{{ workflow.input.t }}", input: [workflow.input.t]}]',
      ['1:44 WRONG_TYPE workflow.input'],
    ],
    [
      'tools that cannot be read may be any',
      'workflow: {name: w, entry_point: a}\ntools: search\nagents: [{name: a, prompt: x, tools: [search]}]',
      ['2:8 WRONG_TYPE tools'],
    ],
    [
      'nobody knows the ways through steps that cannot be read',
      `${workflowOf('{name: a, type: set, value: x, rotes: [{to: b}]}', '{name: b, type: set, value: x}')}\noutput: {v: "{{ b.output }}"}`,
      ['3:36 UNKNOWN_KEY agents.0.rotes'],
    ],
    [
      'names that stand only behind failures are in scope',
      workflowOf('{name: a, prompt: x, on_error: [{too: b}]}', '{name: b, prompt: "{{ error.message }}"}'),
      ['3:37 MISSING_KEY agents.0.on_error.0.to', '3:38 UNKNOWN_KEY agents.0.on_error.0.too'],
    ],
    [
      'settings that are missing',
      'agents: [{name: a, prompt: "{{ workflow.input.t }}"}]',
      ['1:1 MISSING_KEY workflow'],
    ],
  ])('are not told where they only follow: %s', (_, text, problems) => {
    expect(seen(text)).toEqual(problems);
  });
});

describe('problems of YAML', () => {
  it('are all reported, one for each line, with what to do', () => {
    const text = `
workflow:
  name: w
  entry_point: a
agents:
  - name: a
    prompt: Say: hello
    routes: [{to: b}
  - name: b
\ttools: []
`;
    expect(problemsOf(text)).toMatchObject([
      { line: 7, code: 'BLOCK_AS_IMPLICIT_KEY', text: 'prompt: Say: hello', hint: expect.stringContaining('quotes') },
      { line: 9, code: 'BAD_INDENT', hint: expect.stringContaining('Close the bracket') },
      { line: 10, code: 'TAB_AS_INDENT', hint: 'Indent with spaces' },
    ]);
  });

  it('show where a quote is opened, not where the file ends', () => {
    const [problem, ...others] = problemsOf('workflow:\n  name: "w\n  entry_point: a\nagents: []\n');
    expect(problem).toMatchObject({ line: 2, column: 9, code: 'MISSING_CHAR', text: 'name: "w' });
    expect(problem?.message).toBe('A quote is opened, but not closed');
    expect(others).toEqual([]);
  });
});
