// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is what the files hold
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { formatProblem } from '../source/problem.js';
import { loadDocument } from './load-document.js';
import { loadGood, loadText, problemsOf, workflowOf } from './load-text.fixture.js';
import { WorkflowInvalid } from './workflow-invalid.js';

const good = workflowOf('{name: a, type: set, value: x}');

describe('loading a workflow file', () => {
  it('fills in the defaults', () => {
    const { document } = loadGood(good);
    expect(document.workflow.limits).toEqual({ max_iterations: 10, budget_mode: 'audit' });
    expect(document.workflow.context).toEqual({ mode: 'accumulate' });
    expect(document.workflow.runtime.provider).toEqual({ name: 'copilot' });
    expect(document.workflow.runtime.tool_output).toEqual({ enabled: true, max_chars: 50000, spill_to_file: true });
    expect(document.output).toEqual(new Map());
    expect(document.agents).toEqual([{ type: 'set', name: 'a', value: 'x', input: [], routes: [], on_error: [] }]);
  });

  it('keeps the order of keys that look like numbers, and names that every object inherits', () => {
    const { document } = loadGood(`${good}\noutput: {"10": a, "2": b, __proto__: c, constructor: d}`);
    expect([...document.output.keys()]).toEqual(['10', '2', '__proto__', 'constructor']);
  });

  it('keeps values as JSON text, so that 1.0 and large numbers survive', () => {
    const { document } = loadGood(
      'workflow: {name: w, entry_point: a, input: {n: {type: number, default: 1.0}, o: {type: object, default: {big: 123456789012345678901, on: 2024-01-01}}}}\nagents: [{name: a}]',
    );
    expect(document.workflow.input.get('n')?.default).toBe('1.0');
    expect(document.workflow.input.get('o')?.default).toBe('{"big": 123456789012345678901, "on": "2024-01-01"}');
  });

  it('remembers every text that was read', () => {
    const text = workflowOf(
      '{name: a, prompt: !file p.md, routes: [{to: b}]}',
      '{name: b, type: workflow, workflow: c.yaml}',
    );
    const loaded = loadGood(text, { files: { 'p.md': 'Hello', 'c.yaml': good } });
    expect(loaded.files).toEqual({ '/flow/workflow.yaml': text, '/flow/p.md': 'Hello', '/flow/c.yaml': good });
    expect(loaded.source).toBe(text);
  });

  it('says where a value is', () => {
    const loaded = loadGood(good);
    expect(loaded.locate(['agents', 0, 'value'])).toEqual({ file: '/flow/workflow.yaml', line: 3, column: 33 });
    expect(loaded.locate(['agents', 0, 'nothing'])).toEqual({ file: '/flow/workflow.yaml', line: 3, column: 5 });
    expect(loaded.locate([])).toEqual({ file: '/flow/workflow.yaml', line: 1, column: 1 });
  });

  it('returns the sub-workflow of a step', () => {
    const loaded = loadGood(workflowOf('{name: a, type: workflow, workflow: c.yaml}'), { files: { 'c.yaml': good } });
    const child = loaded.child('c.yaml');
    expect(child.ok && child.loaded.document.agents[0]?.name).toBe('a');
    expect(loaded.child('c.yaml')).toBe(child);
  });

  it('reads from disk and from the environment of the process by default', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fullstop-load-'));
    try {
      const file = join(folder, 'w.yaml');
      writeFileSync(file, workflowOf('{name: a, type: set, value: "${PATH}"}'));
      const result = loadDocument({ file });
      expect(result.ok && result.loaded.document.agents[0]).toMatchObject({ value: process.env['PATH'] });
      writeFileSync(file, Buffer.from([0x61, 0xff, 0xfe]));
      const broken = loadDocument({ file });
      expect(broken).toMatchObject({
        ok: false,
        problems: [{ code: 'FILE_UNREADABLE', message: 'The file is not valid UTF-8 text' }],
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says that a file is not there', () => {
    expect(loadDocument({ file: 'gone.yaml' })).toMatchObject({
      ok: false,
      problems: [{ code: 'FILE_NOT_FOUND', file: 'gone.yaml', line: 1, column: 1 }],
    });
  });
});

describe('errors of a file', () => {
  it('come all at once, each with its place', () => {
    const text = [
      'workflow:',
      '  name: 12',
      '  entry_point: nowhere',
      '  limits: {max_iterations: 0}',
      'agents:',
      '  - name: a',
      '    colour: red',
      '    routes: [{to: gone, when: true}]',
      '  - name: b',
      '    type: terminat',
      'extra: 1',
    ].join('\n');
    expect(problemsOf(text).map(({ line, column, path, code }) => `${line}:${column} ${path} ${code}`)).toEqual([
      '2:9 workflow.name WRONG_TYPE',
      '3:16 workflow.entry_point UNKNOWN_STEP',
      '4:28 workflow.limits.max_iterations OUT_OF_RANGE',
      '7:5 agents.0.colour UNKNOWN_KEY',
      '8:19 agents.0.routes.0.to UNKNOWN_STEP',
      '8:31 agents.0.routes.0.when WRONG_TYPE',
      '10:11 agents.1.type NOT_A_CHOICE',
      '11:1 extra UNKNOWN_KEY',
    ]);
  });

  it.each([
    ['a key', workflowOf('{name: a, promt: x}'), 'agents.0.promt', 'did you mean "prompt"?'],
    ['a type', workflowOf('{name: a, type: scirpt}'), 'agents.0.type', 'did you mean "script"?'],
    ['an entry point', good.replace('entry_point: a', 'entry_point: ab'), 'workflow.entry_point', 'did you mean "a"?'],
    ['a route', workflowOf('{name: abc, routes: [{to: abd}]}'), 'agents.0.routes.0.to', 'did you mean "abc"?'],
    [
      'a choice',
      `${good.replace('entry_point: a', 'entry_point: a, context: {mode: explict}')}`,
      'workflow.context.mode',
      'did you mean "explicit"?',
    ],
  ])('suggest %s that is close', (_, text, path, message) => {
    expect(problemsOf(text)).toContainEqual(
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    );
  });

  it('are one error that lists them all', () => {
    const result = loadText('workflow: {name: w, entry_point: a}\nagents: [{name: a, promt: 1}, {name: 2}]');
    const error = new WorkflowInvalid(result.ok ? [] : result.problems);
    expect(error).toBeInstanceOf(FullstopError);
    expect(error.code).toBe('INVALID_WORKFLOW');
    expect(error.message).toBe(
      [
        'The workflow has 2 problems:',
        '  /flow/workflow.yaml:2:20: agents.0.promt: Unknown key \'promt\' (did you mean "prompt"?)',
        '  /flow/workflow.yaml:2:38: agents.1.name: Expected a text, but this is an integer, found "2". Put it in quotes',
      ].join('\n'),
    );
  });

  it.each([
    ['nothing', '', 'EMPTY_FILE', '1:1'],
    ['only a comment', '# hello\n', 'EMPTY_FILE', '1:1'],
    ['a list', '- a\n', 'NOT_A_MAPPING', '1:1'],
    ['two documents', `${good}\n---\n${good}`, 'MULTIPLE_DOCUMENTS', '4:1'],
    ['a key twice', `${good}\nagents: []`, 'DUPLICATE_KEY', '4:1'],
    ['a bad indentation', 'workflow:\n  name: w\n entry_point: a\n', 'BAD_INDENT', '3:1'],
    ['an open quote', 'workflow: {name: "w', 'MISSING_CHAR', '1:18'],
    ['an unknown tag', 'workflow: !include x', 'UNKNOWN_TAG', '1:20'],
    ['a missing anchor', 'workflow: *nope', 'BAD_ALIAS', '1:11'],
    ['a value that contains itself', 'workflow: &w {name: *w}', 'BAD_ALIAS', '1:21'],
    ['a key that is a list', '? [a]\n: 1', 'BAD_KEY', '1:3'],
    ['a merge of a text', 'workflow: {<<: text}', 'BAD_MERGE', '1:16'],
    ['values that nest too deep', `a: ${'['.repeat(30_000)}`, 'TOO_DEEP', '1:103'],
  ])('name the place of %s', (_, text, code, place) => {
    const problem = problemsOf(text).find((candidate) => candidate.code === code);
    expect(problem).toMatchObject({ code, stage: 'yaml' });
    expect(`${problem?.line}:${problem?.column}`).toBe(place);
  });

  it('stop aliases that grow without bound', () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(10)}]`,
    );
    const problem = problemsOf(['l0: &l0 [x]', ...levels].join('\n')).find(({ stage }) => stage === 'yaml');
    expect(problem).toMatchObject({ code: 'TOO_LARGE', line: 6, stage: 'yaml' });
  });

  it('show the text that is wrong', () => {
    const [problem] = problemsOf(workflowOf('{name: a, tools: 5}'));
    expect(formatProblem(problem!)).toBe(
      '/flow/workflow.yaml:3:22: agents.0.tools: Expected a list, but this is an integer, found "5"',
    );
  });
});

describe('anchors and merge keys', () => {
  it('give own keys precedence and keep them first', () => {
    const text = [
      'workflow: {name: w, entry_point: a}',
      'agents:',
      '  - &base {name: a, type: script, command: x, timeout: 5, routes: [{to: b}]}',
      '  - {<<: *base, name: b, timeout: 7, routes: []}',
    ].join('\n');
    const [, second] = loadGood(text).document.agents;
    expect(second).toMatchObject({ type: 'script', name: 'b', command: 'x', timeout: 7, routes: [] });
  });

  it('merge several mappings, the first one wins', () => {
    const text = `${good}\noutput: {<<: [{a: one}, {a: two, b: two}], c: own}`;
    expect([...loadGood(text).document.output]).toEqual([
      ['c', 'own'],
      ['a', 'one'],
      ['b', 'two'],
    ]);
  });
});

describe('!file', () => {
  const withFile = workflowOf('{name: a, prompt: !file prompts/p.md}');

  it('takes text as it is and remembers the file of a prompt', () => {
    const { document } = loadGood(withFile, { files: { 'prompts/p.md': 'Hello {{ workflow.name }}\n' } });
    expect(document.agents[0]).toMatchObject({
      prompt: 'Hello {{ workflow.name }}\n',
      prompt_file: '/flow/prompts/p.md',
    });
  });

  it.each(['just text', 'null', '12', '{{ x }}', 'a: b: c', '*bold* text', '!tagged x'])(
    'takes %j as text',
    (content) => {
      const result = loadText(withFile, { files: { 'prompts/p.md': content }, lenient: true });
      expect(result.ok && result.loaded.document.agents[0]).toMatchObject({ prompt: content });
    },
  );

  it('puts a mapping or a list in, with paths relative to the included file', () => {
    const text = `${good}\noutput: !file parts/output.yaml`;
    const files = { 'parts/output.yaml': 'x: !file text.txt\ny: plain', 'parts/text.txt': 'included' };
    expect([...loadGood(text, { files }).document.output]).toEqual([
      ['x', 'included'],
      ['y', 'plain'],
    ]);
  });

  it('points into the included file when that is wrong', () => {
    const problems = problemsOf(`${good}\noutput: !file output.yaml`, { files: { 'output.yaml': 'x: a\ny: 5' } });
    expect(problems).toMatchObject([{ file: '/flow/output.yaml', line: 2, column: 4, path: 'output.y' }]);
  });

  it('refuses a file that is not there', () => {
    expect(problemsOf(withFile)).toMatchObject([{ code: 'FILE_NOT_FOUND', line: 3, column: 29, text: 'prompts/p.md' }]);
  });

  it('refuses files that include each other', () => {
    const files = { 'a.yaml': '[!file b.yaml]', 'b.yaml': '{x: !file a.yaml}' };
    const [problem] = problemsOf(`${good}\noutput: !file a.yaml`, { files });
    expect(problem).toMatchObject({
      code: 'FILE_CYCLE',
      message: expect.stringContaining('Circular file reference'),
      file: '/flow/b.yaml',
    });
  });

  it('refuses a file that includes itself', () => {
    expect(problemsOf('workflow: !file workflow.yaml')).toMatchObject([
      { code: 'MISSING_KEY', path: 'agents' },
      { code: 'FILE_CYCLE' },
    ]);
  });
});

describe('${NAME}', () => {
  it('is filled in everywhere but in keys', () => {
    const text = `${workflowOf('{name: a, type: script, command: "${CMD}", args: ["${ARG:-fallback}"]}')}\noutput: {"\${KEY}": "\${CMD}"}`;
    const { document } = loadGood(text, { env: { CMD: 'ls' } });
    expect(document.agents[0]).toMatchObject({ command: 'ls', args: ['fallback'] });
    expect([...document.output]).toEqual([['${KEY}', 'ls']]);
  });

  it('is filled in in included text too', () => {
    const loaded = loadGood(workflowOf('{name: a, prompt: !file p.md}'), {
      files: { 'p.md': 'for ${WHO}' },
      env: { WHO: 'me' },
    });
    expect(loaded.document.agents[0]).toMatchObject({ prompt: 'for me', prompt_file: '/flow/p.md' });
    expect(loaded.files['/flow/p.md']).toBe('for ${WHO}');
  });

  it('is an error when it is not set', () => {
    expect(problemsOf(workflowOf('{name: a, type: set, value: "${GONE}"}'))).toMatchObject([
      {
        code: 'ENVIRONMENT_VARIABLE',
        message: expect.stringContaining('GONE'),
        path: 'agents.0.value',
        line: 3,
        column: 33,
      },
    ]);
  });
});
