import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { rootCause } from '../termination/root-cause.js';
import { runText, workflowFrom, world } from './workflow.fixture.js';

const price = 'cost: {pricing: {m: {input_per_mtok: 1000, output_per_mtok: 1000}}}';
const answer = { text: 'said', usage: { inputTokens: 10, outputTokens: 0 } };
/** A model whose every answer costs one cent by the prices of the file. */
const cents = () => scriptedModel([answer], { exhausted: 'repeat-last' });

const parent = (limits: string, routes = ''): string => `
workflow: {name: p, entry_point: c, limits: {${limits}}, ${price}}
agents:
  - {name: c, type: workflow, workflow: child.yaml${routes}}
  - {name: after, prompt: go, model: m}
output: {v: "{{ c.output.v }}"}
`;
const child = (limits = ''): string => `
workflow: {name: c, entry_point: one, limits: {${limits}}, ${price}}
agents:
  - {name: one, prompt: go, model: m, routes: [{to: two}]}
  - {name: two, prompt: go, model: m}
output: {v: "{{ two.output.result }}"}
`;

describe('a sub-workflow', () => {
  it('spends what the workflow around it may spend', async () => {
    const text = parent('budget_usd: 0.015, budget_mode: enforce', ', routes: [{to: after}]');
    const result = await runText(text, { files: { 'child.yaml': child() }, model: cents() });
    expect(result.termination).toMatchObject({ kind: 'cost_budget', limitUsd: 0.015, usedUsd: 0.02 });
    expect(result.history).toEqual(['c']);
    const more = await result.resume({ budgetUsd: 1 });
    expect(more.termination).toEqual({ kind: 'flow_completed', last: 'after' });
    expect(more.costUsd).toBeCloseTo(0.03);
  });

  it('has a budget of its own, and continues inside when that is raised', async () => {
    const files = { 'child.yaml': child('budget_usd: 0.005, budget_mode: enforce') };
    const result = await runText(parent(''), { files, model: cents() });
    expect(result.termination).toMatchObject({ kind: 'child_failed', child: { name: 'c', path: 'c' } });
    expect(rootCause(result.termination)).toMatchObject({ kind: 'cost_budget', limitUsd: 0.005, usedUsd: 0.01 });
    const more = await result.resume({ budgetUsd: 1 });
    expect(more.output).toEqual({ v: 'said' });
    expect(more.costUsd).toBeCloseTo(0.02);
  });

  it('counts its own steps, not those around it', async () => {
    const files = { 'child.yaml': child('max_iterations: 2') };
    const result = await runText(parent('max_iterations: 1'), { files, model: cents() });
    expect(result.output).toEqual({ v: 'said' });
    const short = await runText(parent(''), { files: { 'child.yaml': child('max_iterations: 1') }, model: cents() });
    expect(rootCause(short.termination)).toMatchObject({ kind: 'max_iterations', limit: 1, unit: 'step' });
  });

  it.each([
    ['', 10, 'depth limit exceeded'],
    [', max_depth: 3', 3, 'max_depth (3) exceeded'],
  ])('may run itself%s, down to %i levels', async (limit, levels, message) => {
    const text = `
workflow: {name: p, entry_point: again}
agents: [{name: again, type: workflow, workflow: workflow.yaml${limit}}]
`;
    const self = { 'workflow.yaml': text };
    const result = await runText(text, { files: self, lenient: true });
    const cause = rootCause(result.termination);
    expect(cause).toMatchObject({ kind: 'failed', error: { message: expect.stringContaining(message) } });
    const opened = (await result.journal()).filter(({ type }) => type === 'scope_opened');
    expect(opened).toHaveLength(levels + 1);
  });

  it('asks a person from inside, and continues there when the answer comes', async () => {
    const middle =
      'workflow: {name: m, entry_point: in}\nagents: [{name: in, type: workflow, workflow: inner.yaml}]\noutput: {v: "{{ in.output.v }}"}';
    const inner = `
workflow: {name: i, entry_point: before}
agents:
  - {name: before, prompt: go, routes: [{to: ask}]}
  - {name: ask, type: human_gate, prompt: "Sure?", options: [{label: "Yes", value: "yes", route: $end}]}
output: {v: "{{ ask.output.selected }}"}
`;
    const files = { 'child.yaml': middle, 'inner.yaml': inner };
    const workflow = workflowFrom(parent(''), { files, model: cents() });
    const { engine } = world();
    const paused = await workflow.run({}, { engine, runId: 'r' });
    expect(paused.termination).toMatchObject({
      kind: 'gate_pending',
      gates: [{ gateId: 'c/in/ask', path: 'c/in/ask' }],
    });
    const done = await workflow.resume('r', { engine, answers: { 'c/in/ask': { decision: 'value', value: 'yes' } } });
    expect(done.output).toEqual({ v: 'yes' });
    const asked = (await done.journal()).filter(({ key }) => key?.startsWith('model:') === true);
    expect(asked.map(({ scope }) => scope)).toEqual(['c/in/before']);
  });

  it('has the active time that it used counted on after a resume', async () => {
    const slow = `
workflow: {name: c, entry_point: one, limits: {timeout_seconds: 5}}
agents:
  - {name: one, type: wait, duration: 3s, routes: [{to: two}]}
  - {name: two, type: wait, duration: 3s}
output: {v: "{{ two.output.waited_seconds }}"}
`;
    const result = await runText(parent(''), { files: { 'child.yaml': slow }, model: cents() });
    expect(rootCause(result.termination)).toMatchObject({ kind: 'time_budget', limitMs: 5000, elapsedMs: 5000 });
    const more = await result.resume({ timeoutSeconds: 5.5 });
    expect(rootCause(more.termination)).toMatchObject({ kind: 'time_budget', limitMs: 5500 });
    expect((await more.resume({ timeoutSeconds: 60 })).termination.kind).toBe('flow_completed');
  });
});
