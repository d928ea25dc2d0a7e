import { describe, expect, it } from 'vitest';
import { loadText, problemsOf, workflowOf } from '../load/load-text.fixture.js';

describe('sub-workflows', () => {
  const parent = (extra = ''): string => workflowOf(`{name: a, type: workflow, workflow: child.yaml${extra}}`);
  const child =
    'workflow: {name: c, entry_point: z, input: {topic: {type: string}, tone: {type: string, default: calm}}}\nagents: [{name: z, type: set, value: x}]';

  it('must be valid themselves, and their problems are listed', () => {
    const problems = problemsOf(parent(), { files: { 'child.yaml': workflowOf('{name: z, promt: x}') } });
    expect(problems).toMatchObject([
      { file: '/flow/workflow.yaml', path: 'agents.0.workflow', message: expect.stringContaining('failed to load') },
      { file: '/flow/child.yaml', path: 'agents.0.promt', line: 3 },
    ]);
  });

  it('say each of their problems once, however many steps lead to them', () => {
    const step = (name: string, file: string): string => `{name: ${name}, type: workflow, workflow: ${file}}`;
    const files = {
      'leaf.yaml': workflowOf('{name: z, promt: x}'),
      'left.yaml': workflowOf(step('l', 'leaf.yaml')),
      'right.yaml': workflowOf(step('r', 'leaf.yaml')),
      'warned.yaml': workflowOf('{name: z, prompt: x, session_key: s}'),
    };
    const text = (first: string, second: string): string =>
      workflowOf(step('a', first).replace('}', ', routes: [{to: b}]}'), step('b', second));
    const problemsAt = (first: string, second: string): string[] =>
      problemsOf(text(first, second), { files }).map(({ file, path }) => `${file} ${path}`);
    expect(problemsAt('leaf.yaml', 'leaf.yaml').filter((each) => each.includes('leaf'))).toEqual([
      '/flow/leaf.yaml agents.0.promt',
    ]);
    expect(problemsAt('left.yaml', 'right.yaml').sort()).toEqual([
      '/flow/leaf.yaml agents.0.promt',
      '/flow/left.yaml agents.0.workflow',
      '/flow/right.yaml agents.0.workflow',
      '/flow/workflow.yaml agents.0.workflow',
      '/flow/workflow.yaml agents.1.workflow',
    ]);
    expect(problemsAt('warned.yaml', 'warned.yaml')).toContain('/flow/warned.yaml agents.0.session_key');
    expect(problemsAt('warned.yaml', 'warned.yaml').filter((each) => each.includes('warned'))).toHaveLength(1);
  });

  it('must get their required inputs', () => {
    const files = { 'child.yaml': child };
    expect(problemsOf(parent(), { files })).toMatchObject([
      { code: 'MISSING_INPUT', message: expect.stringContaining("'topic'") },
    ]);
    expect(problemsOf(parent(', input_mapping: {tone: x}'), { files })).toMatchObject([{ code: 'MISSING_INPUT' }]);
    expect(problemsOf(parent(', input_mapping: {topic: x}'), { files })).toEqual([]);
  });

  it('warn about inputs that they do not have', () => {
    const problems = problemsOf(parent(', input_mapping: {topic: x, tune: y}'), { files: { 'child.yaml': child } });
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        path: 'agents.0.input_mapping.tune',
        message: expect.stringContaining('did you mean "tone"?'),
      },
    ]);
  });

  it('must not lead back to themselves, unless lenient', () => {
    const files = {
      'child.yaml': workflowOf('{name: b, type: workflow, workflow: workflow.yaml}'),
      'workflow.yaml': parent(),
    };
    expect(problemsOf(parent(), { files })).toContainEqual(expect.objectContaining({ code: 'WORKFLOW_CYCLE' }));
    expect(loadText(parent(), { files, lenient: true }).ok).toBe(true);
  });

  it('are checked for each item as well', () => {
    const item = 'agent: {name: i, type: workflow, workflow: gone.yaml}';
    const text = `${workflowOf('{name: a, type: set, value: x}')}\nfor_each: [{name: each, type: for_each, source: a.output.x, as: item, ${item}}]`;
    expect(problemsOf(text)).toContainEqual(expect.objectContaining({ path: 'for_each.0.agent.workflow' }));
  });
});
