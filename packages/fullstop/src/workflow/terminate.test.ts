import { describe, expect, it } from 'vitest';
import type { Violation } from '../termination/kinds/validation.js';
import { conductorEvents } from './conductor-events.js';
import type { RenderedHook } from './perform/environment.js';
import { eventsOf, runText, workflowFrom, world } from './workflow.fixture.js';

const precheck = (status: string, more = ''): string => `
workflow: {name: w, entry_point: probe}
agents:
  - {name: probe, type: set, values: {n: "17"}, routes: [{to: halt}]}
  - {name: halt, type: terminate, status: ${status}, reason: "limit {{ probe.output.n }} hit"${more}}
output: {seen: "{{ probe.output.n }}"}
`;

describe('an explicit end', () => {
  it('with status success is a success with its reason, and closes the run', async () => {
    const result = await runText(precheck('success'));
    expect(result.termination).toEqual({
      kind: 'terminated',
      status: 'success',
      reason: 'limit 17 hit',
      by: 'halt',
      output: { seen: 17 },
    });
    expect(result).toMatchObject({ outcome: 'succeeded', category: 'success', open: false });
    expect(result.output).toEqual({ seen: 17 });
  });

  it('with status failed is fatal, keeps its output and cannot be resumed', async () => {
    const result = await runText(precheck('failed'));
    expect(result.termination).toMatchObject({ kind: 'terminated', status: 'failed', reason: 'limit 17 hit' });
    expect(result).toMatchObject({ outcome: 'failed', category: 'fatal', open: false, resumable: { how: 'no' } });
    expect(result.output).toEqual({ seen: 17 });
    await expect(result.resume()).rejects.toMatchObject({ code: 'RUN_CLOSED' });
  });

  it('evaluates no route after it', async () => {
    const result = await runText(precheck('failed'));
    expect((await eventsOf(result)).slice(-3)).toEqual(['agent_started', 'agent_failed', 'workflow_failed']);
    expect(result.history).toEqual(['probe', 'halt']);
  });

  it('marks its terminal event as explicit, with reason, step, status and output', async () => {
    const explicit = { termination_reason: 'limit 17 hit', terminated_by: 'halt', is_explicit: true };
    const failed = conductorEvents(await (await runText(precheck('failed'))).journal()).at(-1);
    expect(failed).toMatchObject({
      type: 'workflow_failed',
      data: { ...explicit, status: 'failed', error_type: 'WorkflowTerminated', output: { seen: 17 } },
    });
    const done = conductorEvents(await (await runText(precheck('success'))).journal()).at(-1);
    expect(done).toMatchObject({ type: 'workflow_completed', data: { ...explicit, status: 'success' } });
  });

  it('replaces the output by its own template, with values read as in any output', async () => {
    const result = await runText(
      precheck(
        'failed',
        ', output_template: {aborted: "true", n: "{{ probe.output.n }}", who: "{{ halt.output.terminated_by }}"}',
      ),
    );
    expect(result.output).toEqual({ aborted: true, n: 17, who: 'halt' });
    expect((await runText(precheck('failed', ', output_template: {}'))).output).toEqual({});
  });

  it('may be the entry point', async () => {
    const result = await runText(
      'workflow: {name: w, entry_point: now}\nagents: [{name: now, type: terminate, status: success, reason: nothing to do}]\noutput: {fixed: "yes"}\n',
    );
    expect(result.termination).toMatchObject({ kind: 'terminated', status: 'success', by: 'now' });
    expect(result.history).toEqual(['now']);
    expect(result.output).toEqual({ fixed: 'yes' });
  });

  it('can be reached from a parallel group and from a for_each group', async () => {
    const parallel = await runText(`
workflow: {name: w, entry_point: p}
agents:
  - {name: a, type: set, value: "1"}
  - {name: b, type: set, value: "2"}
  - {name: t, type: terminate, status: failed, reason: "{{ p.outputs.a + p.outputs.b }}"}
parallel: [{name: p, agents: [a, b], routes: [{to: t}]}]
`);
    expect(parallel.termination).toMatchObject({ kind: 'terminated', reason: '3', by: 't' });
    const each = await runText(`
workflow: {name: w, entry_point: s}
agents:
  - {name: s, type: set, values: {xs: "[1, 2]"}, routes: [{to: e}]}
  - {name: t, type: terminate, status: success, reason: "{{ e.count }} items"}
for_each: [{name: e, type: for_each, source: s.output.xs, as: x, agent: {name: i, type: set, value: "{{ x }}"}, routes: [{to: t}]}]
`);
    expect(each.termination).toMatchObject({ kind: 'terminated', reason: '2 items' });
  });

  it('is never pre-empted by the limit of steps', async () => {
    const result = await runText(`
workflow: {name: w, entry_point: a, limits: {max_iterations: 1}}
agents:
  - {name: a, type: set, value: "1", routes: [{to: t}]}
  - {name: t, type: terminate, status: failed, reason: precondition}
`);
    expect(result.termination).toMatchObject({ kind: 'terminated', reason: 'precondition' });
  });

  it('notifies the hooks: on_complete of a success, on_error of a failure', async () => {
    const hooks =
      ', hooks: {on_start: "go", on_complete: "done {{ result.seen }}", on_error: "{{ error.type }}: {{ ending.reason }}"}';
    const text = (status: string): string =>
      precheck(status).replace('entry_point: probe', `entry_point: probe${hooks}`);
    const told = async (status: string): Promise<readonly RenderedHook[]> => {
      const list: RenderedHook[] = [];
      await runText(text(status), { onHook: (hook) => void list.push(hook) });
      return list;
    };
    expect(await told('success')).toEqual([
      { name: 'on_start', text: 'go', workflow: 'w' },
      { name: 'on_complete', text: 'done 17', workflow: 'w' },
    ]);
    expect((await told('failed')).at(-1)).toMatchObject({ name: 'on_error', text: 'WorkflowTerminated: limit 17 hit' });
  });

  it('whose output cannot be rendered fails as a template error, after its own event', async () => {
    const result = await runText(precheck('success', ', output_template: {x: "{{ ghost }}"}'), { lenient: true });
    expect(result.termination).toMatchObject({ kind: 'failed', error: { name: 'TemplateError' } });
    expect((await eventsOf(result)).slice(-3)).toEqual(['agent_started', 'agent_failed', 'workflow_failed']);
    expect(result.history).toEqual(['probe', 'halt']);
  });

  it('whose reason cannot be rendered fails before it is stored', async () => {
    const result = await runText(precheck('success').replace('limit {{ probe.output.n }} hit', '{{ ghost }}'), {
      lenient: true,
    });
    expect(result.termination).toMatchObject({ kind: 'failed', error: { name: 'TemplateError' } });
    expect((await eventsOf(result)).slice(-2)).toEqual(['agent_started', 'workflow_failed']);
    expect(result.history).toEqual(['probe']);
  });

  it('may have a templated status, which is checked when it is rendered', async () => {
    const text = precheck(`"{{ 'failed' if probe.output.n > 10 else 'success' }}"`);
    expect((await runText(text)).termination).toMatchObject({ kind: 'terminated', status: 'failed' });
    const wrong = await runText(precheck('"{{ probe.output.n }}"'));
    expect(wrong.termination).toMatchObject({
      kind: 'failed',
      error: { name: 'ValidationError', message: expect.stringContaining("'17'") },
    });
  });

  it('returns the same ending when the run was resumed on the way', async () => {
    const { engine } = world();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: ask}
agents:
  - {name: ask, type: human_gate, prompt: "Go?", options: [{label: Stop, value: stop, route: t}]}
  - {name: t, type: terminate, status: failed, reason: "{{ ask.output.selected }}"}
output: {why: "{{ ask.output.selected }}"}
`);
    const skipped = await workflow.run({}, { skipGates: true });
    await workflow.run({}, { engine, runId: 'r' });
    const resumed = await workflow.resume('r', { engine, answers: { ask: { decision: 'value', value: 'stop' } } });
    expect(resumed.termination).toEqual(skipped.termination);
    expect(resumed.outputText).toBe(skipped.outputText);
    expect(resumed.summary).toBe(skipped.summary);
  });

  it('whose output cannot be JSON keeps status, reason and step, and says what was dropped', async () => {
    const more = `, output_template: {rate: "1.0e999", deep: "{{ [1, [1e308 * 10]] | tojson }}", n: "{{ probe.output.n }}"}`;
    for (const status of ['success', 'failed']) {
      const result = await runText(precheck(status, more));
      expect(result.termination).toEqual({
        kind: 'terminated',
        status,
        reason: 'limit 17 hit',
        by: 'halt',
        output: { deep: [1, []], n: 17 },
        dropped: [
          { path: 'output.rate', message: 'is infinite (Infinity), which JSON has no word for' },
          { path: 'output.deep[1][0]', message: 'is infinite (Infinity), which JSON has no word for' },
        ],
      });
      expect(result.summary).toContain('limit 17 hit');
      expect(result.summary).toContain('output.rate');
      expect(result.outputText).toBe('{"deep": [1, []], "n": 17}');
      expect(conductorEvents(await result.journal()).at(-1)?.data).toMatchObject({
        status,
        termination_reason: 'limit 17 hit',
        terminated_by: 'halt',
      });
    }
    const whole = precheck('failed').replace('output: {seen: "{{ probe.output.n }}"}', 'output: {x: "[NaN]"}');
    expect((await runText(whole)).termination).toMatchObject({
      kind: 'terminated',
      reason: 'limit 17 hit',
      output: { x: [] },
      dropped: [{ path: 'output.x[0]', message: 'is no number (NaN), which JSON has no word for' }],
    });
  });

  it('loses of its output only what cannot be JSON, and names all of that', async () => {
    const templates = `f: '{"k": -Infinity, "ok": 1}', h: '[NaN, {"deep": [1, NaN, 2]}, "x"]'`;
    const result = await runText(precheck('success', `, output_template: {${templates}}`));
    const message = 'is no number (NaN), which JSON has no word for';
    expect(result.termination).toMatchObject({
      output: { f: { ok: 1 }, h: [{ deep: [1, 2] }, 'x'] },
      dropped: [
        { path: 'output.f.k', message: 'is infinite (-Infinity), which JSON has no word for' },
        { path: 'output.h[0]', message },
        { path: 'output.h[1].deep[1]', message },
      ],
    });
    const long = `, output_template: {v: "[{% for i in range(100) %}NaN, {% endfor %}7]"}`;
    const { termination, output } = await runText(precheck('success', long));
    expect(output).toEqual({ v: [7] });
    const { dropped } = termination as unknown as { readonly dropped: readonly Violation[] };
    expect(dropped).toHaveLength(21);
    expect(dropped.at(-1)).toEqual({ path: 'output', message: 'has 80 more values that JSON has no word for' });
  });

  it('keeps its reason whatever its output holds', async () => {
    const result = await runText(
      precheck('failed', ', output_template: {big: "{{ 10 ** 30 }}", deep: "{{ [[[1.0]]] | tojson }}"}'),
    );
    expect(result.termination).toMatchObject({ kind: 'terminated', reason: 'limit 17 hit' });
    expect(result.outputText).toBe('{"big": 1000000000000000000000000000000, "deep": [[[1.0]]]}');
  });
});

describe('an explicit end inside a sub-workflow', () => {
  const parent = `
workflow: {name: w, entry_point: sub}
agents:
  - {name: sub, type: workflow, workflow: child.yaml, routes: [{to: after}]}
  - {name: after, type: set, value: "went on"}
output: {v: "{{ after.output }}", left: "{{ sub.output.left }}"}
`;
  const child = (status: string): string => `
workflow: {name: c, entry_point: t}
agents: [{name: t, type: terminate, status: ${status}, reason: stock empty, output_template: {left: "0"}}]
`;

  it('with success ends just the child, whose output the parent continues with', async () => {
    const result = await runText(parent, { files: { 'child.yaml': child('success') } });
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'after' });
    expect(result.output).toEqual({ v: 'went on', left: 0 });
  });

  it('with failure is a failed child for the parent, which has its whole ending and is not explicit itself', async () => {
    const result = await runText(parent, { files: { 'child.yaml': child('failed') } });
    expect(result.termination).toEqual({
      kind: 'child_failed',
      child: { name: 'sub', path: 'sub' },
      termination: { kind: 'terminated', status: 'failed', reason: 'stock empty', by: 't', output: { left: 0 } },
    });
    expect(result).toMatchObject({ open: true, category: 'fatal', outcome: 'failed' });
    expect(result.output).toBeUndefined();
    const terminal = conductorEvents(await result.journal()).at(-1);
    expect(terminal).toMatchObject({
      type: 'workflow_failed',
      data: { error_type: 'SubworkflowTerminatedError', agent_name: 'sub' },
    });
    expect(terminal?.data['is_explicit']).toBeUndefined();
  });

  it('passes through the levels between as one chain', async () => {
    const middle =
      'workflow: {name: m, entry_point: inner}\nagents: [{name: inner, type: workflow, workflow: child.yaml}]\n';
    const top =
      'workflow: {name: w, entry_point: outer}\nagents: [{name: outer, type: workflow, workflow: middle.yaml}]\n';
    const result = await runText(top, { files: { 'middle.yaml': middle, 'child.yaml': child('failed') } });
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      child: { path: 'outer' },
      termination: { kind: 'child_failed', child: { path: 'outer/inner' }, termination: { kind: 'terminated' } },
    });
  });

  it('is run again from its start when the parent is resumed', async () => {
    const result = await runText(parent, { files: { 'child.yaml': child('failed') } });
    const again = await result.resume();
    expect(again.segment).toBe(2);
    expect(again.termination).toMatchObject({ kind: 'child_failed', termination: { kind: 'terminated' } });
  });
});
