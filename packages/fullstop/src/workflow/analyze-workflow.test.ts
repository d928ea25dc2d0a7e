import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { WorkflowAnalysis } from './analyze/analyze-file.js';
import { describeAnalysis } from './analyze/describe-analysis.js';
import { drawMermaid } from './analyze/draw-mermaid.js';
import { analyzeWorkflow } from './analyze-workflow.js';
import { loadDocument } from './load/load-document.js';
import { loadGood, workflowOf } from './load/load-text.fixture.js';

const analyze = (text: string, files: Readonly<Record<string, string>> = {}): WorkflowAnalysis =>
  analyzeWorkflow(loadGood(text, { files, lenient: true }));

const steps = (analysis: WorkflowAnalysis, kind: string, status?: string): readonly string[] | undefined =>
  analysis.endings.find((ending) => ending.kind === kind && ending.status === status)?.steps;

const kinds = (analysis: WorkflowAnalysis): readonly string[] => analysis.endings.map(({ kind }) => kind);

describe('the ways in which a workflow can end', () => {
  it('are few for one step', () => {
    expect(kinds(analyze(workflowOf('{name: a, type: set, value: x}')))).toEqual([
      'flow_completed',
      'failed',
      'cancelled',
      'abandoned',
    ]);
  });

  it('name the explicit ends by status', () => {
    const analysis = analyze(
      workflowOf(
        '{name: a, type: set, value: x, routes: [{when: "output == 1", to: good}, {when: "output == 2", to: bad}, {to: either}]}',
        '{name: good, type: terminate, status: success, reason: x}',
        '{name: bad, type: terminate, status: failed, reason: x}',
        '{name: either, type: terminate, status: "{{ a.output }}", reason: x}',
      ),
    );
    expect(steps(analysis, 'terminated', 'success')).toEqual(['good', 'either']);
    expect(steps(analysis, 'terminated', 'failed')).toEqual(['bad', 'either']);
    expect(kinds(analysis)).not.toContain('flow_completed');
  });

  it('treat a terminate step as a sink: no way leads on from it', () => {
    const analysis = analyze(
      workflowOf(
        '{name: a, type: set, value: x, routes: [{to: stop}]}',
        '{name: stop, type: terminate, status: success, reason: x}',
        '{name: after, type: set, value: x}',
      ),
    );
    expect(analysis.graph.from.get('stop')).toEqual([]);
    expect(analysis.unreachable).toEqual(['after']);
    expect(kinds(analysis)).toEqual(['terminated', 'failed', 'cancelled', 'abandoned']);
  });

  it('leave out explicit ends that nothing leads to', () => {
    const analysis = analyze(
      workflowOf(
        '{name: a, type: set, value: x, routes: [{to: $end}, {to: stop}]}',
        '{name: stop, type: terminate, status: failed, reason: x}',
      ),
    );
    expect(steps(analysis, 'terminated', 'failed')).toBeUndefined();
    expect(analysis.unreachable).toEqual(['stop']);
  });

  it('have no_route for routes that all have conditions', () => {
    const analysis = analyze(workflowOf('{name: a, type: set, value: x, routes: [{when: "output == 1", to: $end}]}'));
    expect(steps(analysis, 'no_route')).toEqual(['a']);
    expect(analysis.deadEnds).toEqual(['a']);
  });

  it('have child_failed for steps with an ending of their own, unless every error has a route', () => {
    const text = (routes: string): string =>
      workflowOf(`{name: a, on_error: ${routes}}`, '{name: b, type: set, value: x}');
    expect(steps(analyze(text('[]')), 'child_failed')).toEqual(['a']);
    expect(steps(analyze(text('[{to: b, kind: provider_failed}]')), 'child_failed')).toEqual(['a']);
    expect(steps(analyze(text('[{to: b}]')), 'child_failed')).toBeUndefined();
  });

  it('have the limits that the file sets', () => {
    const settings = (text: string): string =>
      workflowOf('{name: a}').replace('entry_point: a', `entry_point: a, limits: {${text}}`);
    expect(kinds(analyze(settings('timeout_seconds: 5')))).toContain('time_budget');
    expect(kinds(analyze(settings('budget_usd: 5')))).not.toContain('cost_budget');
    expect(kinds(analyze(settings('budget_usd: 5, budget_mode: enforce')))).toContain('cost_budget');
  });

  it('pause where a person is asked, also inside a sub-workflow', () => {
    const gate = '{name: g, type: human_gate, prompt: x, options: [{label: x, value: x, route: $end}]}';
    expect(steps(analyze(workflowOf(gate)), 'gate_pending')).toEqual(['g']);
    const questions = workflowOf('{name: q, type: questions, questions: [{text: x}]}');
    expect(steps(analyze(questions), 'interaction_pending')).toEqual(['q']);
    const parent = workflowOf('{name: p, type: workflow, workflow: c.yaml}');
    expect(steps(analyze(parent, { 'c.yaml': workflowOf(gate) }), 'gate_pending')).toEqual(['p']);
  });

  it('are found for a workflow that runs itself', () => {
    const text = workflowOf('{name: p, type: workflow, workflow: workflow.yaml}');
    expect(kinds(analyze(text, { 'workflow.yaml': text }))).toContain('child_failed');
  });

  it('have gate_expired for a deadline', () => {
    const gate = (deadline: string): string =>
      workflowOf(`{name: g, type: human_gate, prompt: x, ${deadline}options: [{label: x, value: x, route: $end}]}`);
    expect(steps(analyze(gate('deadline: 1h, ')), 'gate_expired')).toEqual(['g']);
    expect(steps(analyze(gate('')), 'gate_expired')).toBeUndefined();
    expect(analyze(gate('')).gatesWithoutDeadline).toEqual(['g']);
    expect(analyze(gate('deadline: 1h, ')).gatesWithoutDeadline).toEqual([]);
  });
});

describe('max_iterations', () => {
  const chain = (count: number, limit: number): string => {
    const names = Array.from({ length: count }, (_, index) => `s${index}`);
    const all = names.map(
      (name, index) => `{name: ${name}, type: set, value: x, routes: [{to: ${names[index + 1] ?? '$end'}}]}`,
    );
    return workflowOf(...all).replace('entry_point: s0', `entry_point: s0, limits: {max_iterations: ${limit}}`);
  };

  it('cannot be reached by a chain that is short enough', () => {
    expect(steps(analyze(chain(5, 5)), 'max_iterations')).toBeUndefined();
  });

  it('is reached at the step that is too much', () => {
    expect(steps(analyze(chain(7, 5)), 'max_iterations')).toEqual(['s5', 's6']);
  });

  it('can be reached inside and after a loop', () => {
    const analysis = analyze(
      workflowOf(
        '{name: a, type: set, value: x, routes: [{to: b}]}',
        '{name: b, type: set, value: x, routes: [{when: "output == 1", to: b}, {to: c}]}',
        '{name: c, type: set, value: x}',
      ),
    );
    expect(steps(analysis, 'max_iterations')).toEqual(['b', 'c']);
    expect(analysis.cycles).toMatchObject([{ units: ['b'], boundedBy: 'max_iterations', exits: [{ to: 'c' }] }]);
  });

  it('never stops an explicit end', () => {
    const analysis = analyze(
      workflowOf(
        '{name: a, type: set, value: x, routes: [{when: "output == 1", to: a}, {to: stop}]}',
        '{name: stop, type: terminate, status: success, reason: x}',
      ),
    );
    expect(steps(analysis, 'max_iterations')).toEqual(['a']);
  });

  it('counts the members of a group', () => {
    const text = [
      workflowOf('{name: a, type: set, value: x}', '{name: b, type: set, value: x}').replace(
        'entry_point: a',
        'entry_point: g, limits: {max_iterations: 1}',
      ),
      'parallel: [{name: g, agents: [a, b]}]',
    ].join('\n');
    expect(steps(analyze(text), 'max_iterations')).toEqual(['g']);
  });
});

describe('cycles', () => {
  it('know whether they have a way out and whether they count', () => {
    const endless = analyze(
      workflowOf(
        '{name: a, type: set, value: x, routes: [{to: b}]}',
        '{name: b, type: set, value: x, routes: [{to: a}]}',
      ),
    );
    expect(endless.cycles).toEqual([{ units: ['a', 'b'], exits: [], boundedBy: 'max_iterations' }]);
    expect(kinds(endless)).not.toContain('flow_completed');
    const counted = analyze(
      workflowOf('{name: a, type: set, value: x, routes: [{when: "{{ context.iteration < 3 }}", to: a}, {to: $end}]}'),
    );
    expect(counted.cycles).toMatchObject([{ units: ['a'], boundedBy: 'context.iteration' }]);
  });

  it('are found through error routes and gates', () => {
    const analysis = analyze(
      workflowOf(
        '{name: a, type: script, command: x, routes: [{to: $end}], on_error: [{to: g}]}',
        '{name: g, type: human_gate, prompt: x, options: [{label: again, value: again, route: a}, {label: no, value: no, route: $end}]}',
      ),
    );
    expect(analysis.cycles.map(({ units }) => units)).toEqual([['a', 'g']]);
  });

  it('keep two loops apart', () => {
    const analysis = analyze(
      workflowOf(
        '{name: a, type: set, value: x, routes: [{when: "output == 1", to: a}, {to: b}]}',
        '{name: b, type: set, value: x, routes: [{when: "output == 1", to: b}, {to: $end}]}',
      ),
    );
    expect(analysis.cycles.map(({ units }) => units)).toEqual([['a'], ['b']]);
  });
});

describe('references to steps that may not have run', () => {
  const branch = [
    '{name: a, type: set, value: x, routes: [{when: "output == 1", to: b}, {to: c}]}',
    '{name: b, type: set, value: x, routes: [{to: c}]}',
  ];
  const uncertain = (text: string): readonly string[] =>
    analyze(text).uncertainReferences.map(({ path, to }) => `${path} ${to}`);

  it('are found after a branch', () => {
    expect(uncertain(workflowOf(...branch, '{name: c, type: set, value: "{{ a.output }} {{ b.output }}"}'))).toEqual([
      'agents.2.value b',
    ]);
  });

  it('are fine when they are guarded', () => {
    expect(uncertain(workflowOf(...branch, '{name: c, type: set, value: "{{ b.output | default(0) }}"}'))).toEqual([]);
    expect(
      uncertain(workflowOf(...branch, '{name: c, type: set, value: "{% if b is defined %}{{ b.output }}{% endif %}"}')),
    ).toEqual([]);
  });

  it('are found in the output of the workflow, but not for ends with an output of their own', () => {
    const stop = (own: string): string =>
      [
        workflowOf(
          '{name: a, type: set, value: x, routes: [{when: "output == 1", to: stop}, {to: b}]}',
          '{name: b, type: set, value: x}',
          `{name: stop, type: terminate, status: success, reason: x${own}}`,
        ),
        'output: {v: "{{ b.output }}"}',
      ].join('\n');
    expect(uncertain(stop(''))).toEqual(['output.v b']);
    expect(uncertain(stop(', output_template: {}'))).toEqual([]);
  });

  it('know that a step that failed has no output, and that routes come after it', () => {
    const text = workflowOf(
      '{name: a, type: set, value: x, routes: [{when: "{{ a.output == 1 }}", to: $end}, {to: b}], on_error: [{to: b}]}',
      '{name: b, type: set, value: "{{ a.output }}"}',
    );
    expect(uncertain(text)).toEqual(['agents.1.value a']);
  });

  it('know the flat names of plain conditions', () => {
    const text = workflowOf(
      ...branch,
      '{name: c, type: set, value: x, routes: [{when: "b_output == 1", to: $end}, {to: $end}]}',
    );
    expect(uncertain(text)).toEqual(['agents.2.routes.0.when b']);
  });

  it('see a member of a group with the eyes of the group', () => {
    const text = [
      workflowOf(
        '{name: first, type: set, value: x, routes: [{to: g}]}',
        '{name: a, type: set, value: "{{ first.output }}"}',
        '{name: b, type: set, value: "{{ late.output }}"}',
        '{name: late, type: set, value: x}',
      ),
      'parallel: [{name: g, agents: [a, b], routes: [{to: late}]}]',
    ].join('\n');
    expect(uncertain(text)).toEqual(['agents.2.value late']);
  });
});

describe('the analysis as text and picture', () => {
  const analysis = analyze(
    workflowOf(
      '{name: a, type: set, value: x, routes: [{when: "output == \\"x\\" < 2", to: stop}, {to: a}], on_error: [{to: stop}]}',
      '{name: stop, type: terminate, status: failed, reason: x}',
      '{name: lost, type: set, value: x}',
    ),
  );

  it('says every way to end and what is worth a look', () => {
    expect(describeAnalysis(analysis)).toBe(
      [
        'w can end in 5 ways:',
        '  terminated (failed)    at stop: A terminate step ends the workflow as a failure',
        '  max_iterations         at a: The limit of 10 steps can be reached',
        '  failed                 any time: A template, a script or the engine fails',
        '  cancelled              any time: Someone stops the run',
        '  abandoned              any time: The process dies and nobody resumes the run',
        'Worth a look:',
        '  lost is never reached',
        '  a → a goes round until a condition fails or max_iterations ends it',
      ].join('\n'),
    );
  });

  it('draws a Mermaid flowchart', () => {
    expect(drawMermaid(analysis)).toBe(
      [
        'flowchart TD',
        '  start(( )) --> n0',
        '  n0["a: set"]',
        '  n1{{"stop: failed"}}',
        '  n2["lost: set"]',
        '  finish(((end)))',
        '  n0 -->|"output == #34;x#34; #60; 2"| n1',
        '  n0 --> n0',
        '  n0 -.->|"error"| n1',
        '  n2 --> finish',
        '  classDef success stroke:#1a7f37,stroke-width:2px',
        '  classDef failed stroke:#cf222e,stroke-width:2px',
        '  classDef unreachable stroke-dasharray:4 4',
        '  class n1 failed',
        '  class n2 unreachable',
        '',
      ].join('\n'),
    );
  });

  it('copes with a chain of ten thousand steps', { timeout: 300_000 }, () => {
    const count = 10_000;
    const all = Array.from(
      { length: count },
      (_, index) =>
        `{name: s${index}, type: set, value: x, routes: [{to: ${index + 1 < count ? `s${index + 1}` : '$end'}}]}`,
    );
    const { endings, unreachable } = analyze(workflowOf(...all));
    expect(unreachable).toEqual([]);
    expect(endings.find(({ kind }) => kind === 'max_iterations')?.steps).toHaveLength(count - 10);
  });
});

describe('the examples', () => {
  const folder = fileURLToPath(new URL('../../../../examples/workflows/', import.meta.url));
  interface ExampleRun {
    readonly example: string;
    readonly scripted?: string;
    readonly ending: { readonly kind: string; readonly status?: string; readonly by?: string; readonly last?: string };
  }
  const runs: readonly ExampleRun[] = JSON.parse(readFileSync(`${folder}runs.json`, 'utf8'));
  const files = readdirSync(folder);
  const examples = files.filter((name) => name.endsWith('.yaml') && !name.endsWith('.script.yaml'));

  it.each(examples)('%s loads without a warning and is run', (name) => {
    const result = loadDocument({ file: `${folder}${name}`, env: {} });
    expect(result.ok ? result.loaded.warnings : result.problems).toEqual([]);
    expect(runs.map(({ example }) => example)).toContain(name);
    expect(readFileSync(`${folder}README.md`, 'utf8')).toContain(`(${name})`);
  });

  it.each(runs)('$example can end as $ending.kind', ({ example, ending, scripted }) => {
    const result = loadDocument({ file: `${folder}${example}`, env: {} });
    if (!result.ok) throw new Error(result.problems[0]?.message);
    const analysis = analyzeWorkflow(result.loaded);
    const at = ending.by ?? ending.last;
    expect(steps(analysis, ending.kind, ending.status)).toEqual(
      at === undefined ? expect.any(Array) : expect.arrayContaining([at]),
    );
    expect(analysis.unreachable).toEqual([]);
    if (scripted !== undefined) expect(files).toContain(scripted);
  });
});
