import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { directoryWith, eventsOf, runText, workflowFrom, world } from './workflow.fixture.js';

describe('groups', () => {
  it('stop the other members when one fails fast, and say which was first', async () => {
    const directory = directoryWith({ 'slow.sh': 'sleep 30; echo late >> $1/log\n' });
    const result = await workflowFrom(`
workflow: {name: w, entry_point: p}
agents:
  - {name: slow, type: script, command: bash, args: ["${directory}/slow.sh", "${directory}"]}
  - {name: bad, type: script, command: no-such-program-here}
parallel: [{name: p, agents: [slow, bad]}]
`).run();
    expect(result.termination).toMatchObject({
      kind: 'failed',
      error: { name: 'ExecutionError', message: expect.stringContaining("Agent 'bad' in parallel group 'p' failed") },
    });
    expect(existsSync(join(directory, 'log'))).toBe(false);
  });

  it('run scripts, waits and workflows as members', async () => {
    const result = await runText(
      `
workflow: {name: w, entry_point: p}
agents:
  - {name: s, type: script, command: echo, args: [hi]}
  - {name: t, type: wait, duration: 3s}
  - {name: c, type: workflow, workflow: child.yaml}
parallel: [{name: p, agents: [s, t, c]}]
output: {v: "{{ p.outputs.s.stdout }}", w: "{{ p.outputs.t.waited_seconds }}", c: "{{ p.outputs.c.r }}"}
`,
      {
        files: {
          'child.yaml':
            'workflow: {name: c, entry_point: a}\nagents: [{name: a, type: set, value: x}]\noutput: {r: inner}\n',
        },
      },
    );
    expect(result.output).toEqual({ v: 'hi\n', w: 3, c: 'inner' });
    expect(result.outputText).toContain('"w": 3.0');
  });

  it('let the next item begin as soon as one is done', async () => {
    const directory = directoryWith({
      // The first item waits until all others have begun: behind a barrier it would wait for ever.
      'item.sh':
        'echo $1 >> log; if [ $1 = 1 ]; then for i in $(seq 2400); do [ $(wc -l < log) -ge 4 ] && exit 0; sleep 0.05; done; exit 3; fi\n',
    });
    const result = await workflowFrom(
      `
workflow: {name: w, entry_point: s}
agents: [{name: s, type: set, values: {items: "[1, 2, 3, 4]"}, routes: [{to: e}]}]
for_each:
  - {name: e, type: for_each, source: s.output.items, as: it, max_concurrent: 2, agent: {name: i, type: script, command: bash, args: [item.sh, "{{ it }}"]}}
output: {codes: "{{ e.outputs | map(attribute='exit_code') | list }}"}
`,
      { workingDirectory: directory, lenient: true },
    ).run();
    expect(result.output).toEqual({ codes: [0, 0, 0, 0] });
    expect(readFileSync(join(directory, 'log'), 'utf8').trim().split('\n').sort()).toEqual(['1', '2', '3', '4']);
  });

  it('keep the whole ending of a failed item, with its siblings beside it', async () => {
    const child = `
workflow: {name: c, entry_point: t, input: {n: {type: number}}}
agents: [{name: t, type: terminate, status: "{{ 'failed' if workflow.input.n > 1 else 'success' }}", reason: "n is {{ workflow.input.n }}"}]
`;
    const text = (mode: string): string => `
workflow: {name: w, entry_point: s}
agents: [{name: s, type: set, values: {items: "[1, 2, 3]"}, routes: [{to: e}]}]
for_each:
  - name: e
    type: for_each
    source: s.output.items
    as: it
    failure_mode: ${mode}
    agent: {name: i, type: workflow, workflow: child.yaml, input_mapping: {n: "{{ it }}"}}
output: {kind: "{{ e.errors['1'].ending.kind }}", by: "{{ e.errors['1'].ending.by }}", reason: "{{ e.errors['1'].ending.reason }}"}
`;
    const files = { 'child.yaml': child };
    const kept = await runText(text('continue_on_error'), { files });
    expect(kept.output).toEqual({ kind: 'terminated', by: 't', reason: 'n is 2' });
    const strict = await runText(text('all_or_nothing'), { files });
    expect(strict.termination).toMatchObject({
      kind: 'child_failed',
      child: { name: 'e[1]', path: 'e[1]' },
      termination: { kind: 'terminated', status: 'failed', reason: 'n is 2' },
      others: [{ child: { name: 'e[2]', path: 'e[2]' }, termination: { kind: 'terminated', reason: 'n is 3' } }],
    });
  });

  it('refuse a terminate step as a member, when loading and when running', async () => {
    const text = `
workflow: {name: w, entry_point: p}
agents:
  - {name: a, type: set, value: "1"}
  - {name: t, type: terminate, status: success, reason: no}
parallel: [{name: p, agents: [a, t]}]
`;
    expect(() => workflowFrom(text)).toThrow(/terminate/);
    const model = scriptedModel([{ text: 'never asked' }]);
    let message = '';
    try {
      message = JSON.stringify((await runText(text, { lenient: true, model })).termination);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('terminate');
  });

  it('ask every member that is a gate, and continue when all are answered', async () => {
    const { engine } = world();
    const workflow = workflowFrom(
      `
workflow: {name: w, entry_point: p}
agents:
  - {name: one, type: human_gate, prompt: "1?", options: [{label: Yes, value: y, route: $end}]}
  - {name: two, type: human_gate, prompt: "2?", options: [{label: Yes, value: y, route: $end}, {label: No, value: n, route: $end}]}
parallel: [{name: p, agents: [one, two]}]
output: {one: "{{ p.outputs.one.selected }}", two: "{{ p.outputs.two.selected }}"}
`,
      { lenient: true },
    );
    const paused = await workflow.run({}, { engine, runId: 'r' });
    expect(paused.termination).toMatchObject({
      kind: 'gate_pending',
      gates: [{ gateId: 'p.one' }, { gateId: 'p.two' }],
    });
    const half = await workflow.resume('r', { engine, answers: { 'p.two': { decision: 'value', value: 'n' } } });
    expect(half.termination).toMatchObject({ kind: 'gate_pending', gates: [{ gateId: 'p.one' }] });
    const done = await workflow.resume('r', { engine, answers: { 'p.one': { decision: 'value', value: 'y' } } });
    expect(done.output).toEqual({ one: 'y', two: 'n' });
  });

  it('count every member against the limit, and none runs when they do not fit', async () => {
    const result = await runText(`
workflow: {name: w, entry_point: p, limits: {max_iterations: 1}}
agents: [{name: a, type: set, value: "1"}, {name: b, type: set, value: "2"}]
parallel: [{name: p, agents: [a, b]}]
`);
    expect(result.termination).toMatchObject({ kind: 'max_iterations', limit: 1 });
    expect(await eventsOf(result)).toEqual([
      'workflow_started',
      'iteration_limit_reached',
      'iteration_limit_resolved',
      'workflow_failed',
    ]);
  });

  it.each([
    ['id', { a: 1, b: 1 }],
    ['item.id', { a: 1, b: 1 }],
    ['item', { "{'id': 'a'}": 1, "{'id': 'b'}": 1 }],
    ['other.id', { 0: 1, 1: 1 }],
  ])('names the outputs by the path %s in the item', async (path, outputs) => {
    const result = await runText(`
workflow: {name: w, entry_point: each, input: {xs: {type: array, default: [{id: a}, {id: b}]}}}
agents: [{name: z, type: set, value: "0"}]
for_each: [{name: each, type: for_each, source: workflow.input.xs, as: item, key_by: ${path}, agent: {name: e, type: set, value: "1"}}]
output: {v: "{{ each.outputs | json }}"}
`);
    expect(result.output).toEqual({ v: outputs });
  });

  describe('with a gate and a member that failed', () => {
    const fails = 'echo x >> marks; exit 1';
    const files = {
      'child.yaml': `
workflow: {name: c, entry_point: s}
agents:
  - {name: s, type: script, command: bash, args: ["-c", "echo x >> marks"], routes: [{to: t}]}
  - {name: t, type: terminate, status: failed, reason: broken}
`,
    };
    const parallel = (mode: string, failing: string): string => `
workflow: {name: w, entry_point: p}
agents:
  - {name: ask, type: human_gate, prompt: "Sure?", options: [{label: Yes, value: y, route: $end}]}
  - ${failing}
parallel: [{name: p, agents: [ask, bad], failure_mode: ${mode}}]
output: {asked: "{{ p.outputs.ask.selected }}", failed: "{{ p.errors | list | length }}"}
`;
    const each = `
workflow: {name: w, entry_point: s}
agents: [{name: s, type: set, values: {items: "[1, 2]"}, routes: [{to: p}]}]
for_each:
  - name: p
    type: for_each
    source: s.output.items
    as: it
    failure_mode: continue_on_error
    agent: {name: i, type: workflow, workflow: each.yaml, input_mapping: {n: "{{ it }}"}}
output: {asked: "{{ p.count }}", failed: "{{ p.errors | list | length }}"}
`;
    const eachChild = `
workflow: {name: c, entry_point: which, input: {n: {type: number}}}
agents:
  - {name: which, type: set, value: "1", routes: [{to: ask, when: "workflow.input.n == 1"}, {to: bad}]}
  - {name: ask, type: human_gate, prompt: "Sure?", options: [{label: Yes, value: y, route: $end}]}
  - {name: bad, type: script, command: bash, args: ["-c", "${fails}"], output: {never: {type: string}}}
`;
    const script = `{name: bad, type: script, command: bash, args: ["-c", "${fails}"], output: {never: {type: string}}}`;
    const unit = '{name: bad, type: workflow, workflow: child.yaml}';
    const cases = [
      { what: 'a script', text: parallel('continue_on_error', script) },
      { what: 'a sub-workflow', text: parallel('continue_on_error', unit) },
      { what: 'an item of for_each', text: each },
    ];

    it.each(cases)('do not run $what again when the gate is answered', async ({ text }) => {
      const directory = directoryWith({});
      const { engine } = world();
      const options = { files: { ...files, 'each.yaml': eachChild }, lenient: true, workingDirectory: directory };
      const paused = await workflowFrom(text, options).run({}, { engine, runId: 'r' });
      expect(paused.termination.kind).toBe('gate_pending');
      const [request] = await engine.openRequests('r');
      const answers = { [request?.id ?? '']: { decision: 'value' as const, value: 'y' } };
      // Another process has nothing but the journal.
      const done = await workflowFrom(text, options).resume('r', { engine, answers });
      expect(done.termination.kind).toBe('flow_completed');
      expect(done.output).toMatchObject({ failed: 1 });
      expect(readFileSync(join(directory, 'marks'), 'utf8')).toBe('x\n');
    });

    it('fail after the answer where one failure is enough, and try that member again only when asked to', async () => {
      const directory = directoryWith({});
      const { engine } = world();
      const workflow = workflowFrom(parallel('all_or_nothing', script), { lenient: true, workingDirectory: directory });
      await workflow.run({}, { engine, runId: 'r' });
      const failed = await workflow.resume('r', { engine, answers: { 'p.ask': { decision: 'value', value: 'y' } } });
      expect(failed.outcome).toBe('failed');
      expect(readFileSync(join(directory, 'marks'), 'utf8')).toBe('x\n');
      await workflow.resume('r', { engine });
      expect(readFileSync(join(directory, 'marks'), 'utf8')).toBe('x\nx\n');
    });
  });
});
