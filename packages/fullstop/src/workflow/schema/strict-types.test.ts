import { describe, expect, it } from 'vitest';
import { loadGood, problemsOf, workflowOf } from '../load/load-text.fixture.js';

const base = workflowOf('{name: a, type: set, value: x}');
const settings = (text: string): string => base.replace('entry_point: a', `entry_point: a, ${text}`);
const output = (text: string): string => workflowOf(`{name: a, output: {f: ${text}}}`);

describe('strict types', () => {
  it.each([
    ['a number as output', `${base}\noutput: {x: 1}`, 'output.x'],
    ['a number as version', settings('version: 1.0'), 'workflow.version'],
    ['a number as argument', workflowOf('{name: a, type: script, command: x, args: [1]}'), 'agents.0.args.0'],
    ['a number as variable', workflowOf('{name: a, type: script, command: x, env: {A: 1}}'), 'agents.0.env.A'],
    ['a number as value', workflowOf('{name: a, type: set, value: 1}'), 'agents.0.value'],
    ['a boolean as condition', workflowOf('{name: a, routes: [{to: $end, when: true}]}'), 'agents.0.routes.0.when'],
    ['a date as text', settings('description: 2024-01-01'), 'workflow.description'],
    ['a fraction as integer', settings('limits: {timeout_seconds: 0.5}'), 'workflow.limits.timeout_seconds'],
    ['a word as number', settings('limits: {budget_usd: much}'), 'workflow.limits.budget_usd'],
    ['a word as boolean', settings('cost: {show_summary: maybe}'), 'workflow.cost.show_summary'],
    ['a mapping as list', workflowOf('{name: a, tools: {}}'), 'agents.0.tools'],
    ['a list as mapping', `${base}\noutput: []`, 'output'],
    ['a number as key', `${base}\noutput: {1: x}`, 'output.1'],
    ['null where there is a default', workflowOf('{name: a, routes: null}'), 'agents.0.routes'],
    ['null where a value is needed', 'workflow: {name: w, entry_point: a}\nagents: null', 'agents'],
    ['a text as agents', 'workflow: {name: w, entry_point: a}\nagents: x', 'agents'],
    ['an infinite default', settings('metadata: {x: .inf}'), 'workflow.metadata.x'],
  ])('refuse %s', (_, text, path) => {
    expect(problemsOf(text).map((problem) => problem.path)).toContain(path);
  });

  it.each([
    ['a text that is an integer', settings('limits: {max_iterations: "12"}'), 12],
    ['an integral fraction', settings('limits: {max_iterations: 12.0}'), 12],
    ['a hexadecimal number', settings('limits: {max_iterations: 0x1F}'), 31],
  ])('take %s as integer', (_, text, expected) => {
    expect(loadGood(text).document.workflow.limits.max_iterations).toBe(expected);
  });

  it.each(['true', 'yes', '"on"', '1', 'Y', '"1"'])('take %s as true', (word) => {
    expect(loadGood(settings(`cost: {show_summary: ${word}}`)).document.workflow.cost.show_summary).toBe(true);
  });

  it.each(['false', 'no', '"off"', '0', 'N'])('take %s as false', (word) => {
    expect(loadGood(settings(`cost: {show_summary: ${word}}`)).document.workflow.cost.show_summary).toBe(false);
  });
});

describe('ranges', () => {
  it.each([
    ['limits: {max_iterations: 0}', 'at least 1'],
    ['limits: {max_iterations: 501}', 'at most 500'],
    ['limits: {budget_usd: 0}', 'greater than 0'],
    ['runtime: {temperature: 2.1}', 'at most 2'],
    ['runtime: {max_tokens: 200001}', 'at most 200000'],
    ['runtime: {tool_output: {max_chars: 999}}', 'at least 1000'],
    ['runtime: {checkpoint: {keep_last: 101}}', 'at most 100'],
    ['cost: {pricing: {m: {input_per_mtok: -1, output_per_mtok: 1}}}', 'at least 0'],
  ])('refuse %s', (text, message) => {
    expect(problemsOf(settings(text)).map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });
});

describe('unknown keys', () => {
  it.each([
    ['the file', `${base}\nfoo: 1`, 'foo'],
    ['workflow', settings('foo: 1'), 'workflow.foo'],
    ['a step', workflowOf('{name: a, foo: 1}'), 'agents.0.foo'],
    ['a route', workflowOf('{name: a, routes: [{to: $end, foo: 1}]}'), 'agents.0.routes.0.foo'],
    ['an output field', output('{type: string, foo: 1}'), 'agents.0.output.f.foo'],
    [
      'a question',
      workflowOf('{name: a, type: questions, questions: [{text: x, foo: 1}]}'),
      'agents.0.questions.0.foo',
    ],
    ['a checkpoint', settings('runtime: {checkpoint: {foo: 1}}'), 'workflow.runtime.checkpoint.foo'],
    ['provider settings', settings('runtime: {provider: {name: x, foo: 1}}'), 'workflow.runtime.provider.foo'],
  ])('are errors in %s', (_, text, path) => {
    expect(problemsOf(text)).toMatchObject([{ severity: 'error', code: 'UNKNOWN_KEY', path }]);
  });

  it.each([
    ['limits', settings('limits: {max_iteration: 5}'), 'workflow.limits.max_iteration'],
    ['context', settings('context: {foo: 1}'), 'workflow.context.foo'],
    ['runtime', settings('runtime: {foo: 1}'), 'workflow.runtime.foo'],
    ['inputs', settings('input: {i: {type: string, foo: 1}}'), 'workflow.input.i.foo'],
    ['hooks', settings('hooks: {foo: 1}'), 'workflow.hooks.foo'],
    [
      'an MCP server',
      settings('runtime: {mcp_servers: {s: {command: x, foo: 1}}}'),
      'workflow.runtime.mcp_servers.s.foo',
    ],
    ['retry', workflowOf('{name: a, retry: {foo: 1}}'), 'agents.0.retry.foo'],
    ['reasoning', workflowOf('{name: a, reasoning: {effort: low, foo: 1}}'), 'agents.0.reasoning.foo'],
  ])('are warnings in %s, which the reference lets pass', (_, text, path) => {
    expect(problemsOf(text)).toMatchObject([{ severity: 'warning', code: 'UNKNOWN_KEY', path }]);
  });
});

describe('records as a whole', () => {
  it.each([
    ['a default of another type', settings('input: {i: {type: number, default: true}}'), "must be of type 'number'"],
    ['a pattern on a number', output('{type: number, pattern: x}'), "pattern can only be set when type is 'string'"],
    ['a minimum on a text', output('{type: string, minimum: 1}'), "minimum can only be set when type is 'number'"],
    [
      'a minimum above the maximum',
      output('{type: number, minimum: 2, maximum: 1}'),
      'minimum cannot be greater than maximum',
    ],
    [
      'a minLength above the maxLength',
      output('{type: string, minLength: 2, maxLength: 1}'),
      'minLength cannot be greater',
    ],
    ['an empty enum', output('{type: string, enum: []}'), 'at least one value'],
    ['an enum of another type', output('{type: string, enum: [1]}'), "must match the declared type 'string'"],
    ['an enum of an object', output('{type: object, enum: [x]}'), 'only be set for scalar types'],
    ['a pattern that is none', output('{type: string, pattern: "("}'), 'not a valid regular expression'],
    ['an optional field at the root', output('{type: string, required: false}'), 'cannot be optional'],
    ['raw with an output', workflowOf('{name: a, output_mode: raw, output: {f: {type: string}}}'), "output_mode 'raw'"],
    ['a template as session key', workflowOf('{name: a, session_key: "{{ x }}"}'), 'without template marks'],
    ['an unknown skill', workflowOf('{name: a, skills: [cooking]}'), 'neither built in'],
    ['a plugin twice', workflowOf('{name: a, plugins: [./x, {name: ./x}]}'), 'listed twice'],
    ['neither value nor values', workflowOf('{name: a, type: set}'), "exactly one of 'value' or 'values'"],
    [
      'value and values',
      workflowOf('{name: a, type: set, value: x, values: {y: z}}'),
      "exactly one of 'value' or 'values'",
    ],
    [
      'output_type with values',
      workflowOf('{name: a, type: set, values: {y: z}, output_type: list}'),
      "cannot have 'output_type'",
    ],
    ['a wait of nothing', workflowOf('{name: a, type: wait, duration: 0}'), 'must be > 0'],
    ['a wait of two days', workflowOf('{name: a, type: wait, duration: 48h}'), 'longer than 24h'],
    ['a wait of true', workflowOf('{name: a, type: wait, duration: true}'), 'Expected a duration'],
    ['a wait of words', workflowOf('{name: a, type: wait, duration: a while}'), 'Expected a duration'],
    ['no questions', workflowOf('{name: a, type: questions}'), "either 'questions' or 'source'"],
    [
      'questions twice',
      workflowOf('{name: a, type: questions, questions: [{text: x}], source: a.output.q}'),
      "both 'questions' and 'source'",
    ],
    [
      'an abort route without abort',
      workflowOf('{name: a, type: questions, questions: [{text: x}], abort_route: $end}'),
      "without 'allow_abort: true'",
    ],
    ['a short source', workflowOf('{name: a, type: questions, source: a.q}'), 'minimum 3 parts'],
    ['a stdio server without command', settings('runtime: {mcp_servers: {s: {}}}'), "stdio servers require 'command'"],
    ['an http server without url', settings('runtime: {mcp_servers: {s: {type: http}}}'), "http servers require 'url'"],
    [
      'a foreign provider setting',
      settings('runtime: {provider: {name: openai, runtime_url: x}}'),
      'only supported by copilot',
    ],
    [
      'a setting without endpoint',
      settings('runtime: {provider: {name: copilot, wire_api: responses}}'),
      'requires base_url, api_key or bearer_token',
    ],
    ['a sandbox pool without address', settings('runtime: {provider: {name: aca}}'), "'pool_endpoint' is required"],
    [
      'a sandbox pool without encryption',
      settings('runtime: {provider: {name: aca, pool_endpoint: "http://x"}}'),
      'https',
    ],
    ['a blank key', settings('runtime: {provider: {name: openai, api_key: ""}}'), 'must not be blank'],
    ['a source that exists twice', settings('runtime: {skill_discovery: {sources: [project, project]}}'), 'twice'],
    [
      'a warning above the limit',
      settings('runtime: {skill_injection: {warn_bytes: 2, max_bytes: 1}}'),
      'must not be greater',
    ],
    ['a module without export', workflowOf('{name: a, type: pipeline, use: ./m.mjs}'), 'a module and an export'],
  ])('refuse %s', (_, text, message) => {
    expect(problemsOf(text).map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ['as: workflow', "conflicts with reserved name 'workflow'"],
    ['as: 1st', 'must be an identifier'],
  ])('refuse a loop variable %s', (as, message) => {
    const text = `${base}\nfor_each: [{name: g, type: for_each, source: a.output.x, ${as}, agent: {name: i, type: set, value: x}}]`;
    expect(problemsOf(text).map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  it('take null as no limit for skill texts', () => {
    const { document } = loadGood(settings('runtime: {skill_injection: {max_bytes: null}}'));
    expect(document.workflow.runtime.skill_injection).toEqual({ warn_bytes: 65536 });
  });

  it('take a text as short form of a provider or a plugin', () => {
    const { runtime } = loadGood(settings('runtime: {provider: openai, plugins: [./x]}')).document.workflow;
    expect(runtime.provider).toEqual({ name: 'openai' });
    expect(runtime.plugins).toEqual([{ name: './x', skills: true, agents: true, mcp: true }]);
  });

  it('take one word as a list in error routes', () => {
    const { document } = loadGood(
      workflowOf('{name: a, type: set, value: x, on_error: [{to: $end, kind: failed, category: [fatal, capacity]}]}'),
    );
    expect(document.agents[0]).toMatchObject({
      on_error: [{ to: '$end', kind: ['failed'], category: ['fatal', 'capacity'] }],
    });
  });
});
