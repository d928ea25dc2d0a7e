import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { workflowFrom, world } from './workflow.fixture.js';

const agent = (more = ''): string => `
workflow: {name: w, entry_point: m}
agents: [{name: m, prompt: go${more}}]
output: {v: "{{ m.output.result }}"}
`;
const parent = `
workflow: {name: p, entry_point: c}
agents: [{name: c, type: workflow, workflow: child.yaml}]
output: {v: "{{ c.output.v }}"}
`;

describe('guidance on resume', () => {
  const cases = [
    { what: 'an agent', text: agent(), files: {}, calls: 1 },
    { what: 'an agent at its second call', text: agent(), files: {}, calls: 2 },
    { what: 'an agent with a validator', text: agent(', validator: {criteria: short}'), files: {}, calls: 1 },
    { what: 'an agent of a sub-workflow', text: parent, files: { 'child.yaml': agent() }, calls: 1 },
  ];

  it.each(cases)('reaches $what that was interrupted', async ({ text, files, calls }) => {
    const engine = memoryEngine();
    const seen: string[] = [];
    const controller = new AbortController();
    const tools = { look: { description: 'Looks', inputSchema: { type: 'object' }, execute: () => 'seen' } } as never;
    const model = scriptedModel(
      () => {
        if (seen.length === calls) controller.abort('enough');
        if (seen.length < calls) return { toolCalls: [{ tool: 'look', input: {} }] };
        return seen.length === calls ? { text: 'late', delay: '10s' } : { text: '{"passed": true, "issues": []}' };
      },
      { onCall: ({ options }) => seen.push(JSON.stringify(options.prompt)) },
    );
    const source = text.replace('agents:', 'tools: [look]\nagents:');
    const workflow = workflowFrom(calls > 1 ? source : text, { model, files, tools });
    const stopped = await workflow.run({}, { engine, runId: 'r', signal: controller.signal });
    expect(stopped.termination.kind).toBe('cancelled');
    const done = await workflow.resume('r', { engine, guidance: 'be brief' });
    expect(done.termination).toMatchObject({ kind: 'flow_completed' });
    expect(seen.slice(calls).some((prompt) => prompt.includes('be brief'))).toBe(true);
  });
});

describe('a limit that was raised in the file', () => {
  const counting = (limits: string): string => `
workflow: {name: w, entry_point: a, limits: {${limits}}}
agents:
  - {name: a, type: set, value: "1", routes: [{to: b}]}
  - {name: b, type: set, value: "2", routes: [{to: c}]}
  - {name: c, type: set, value: "3"}
output: {v: "{{ c.output }}"}
`;

  it('of steps holds with useCurrent, and must be above what was used', async () => {
    const { engine } = world();
    const stopped = await workflowFrom(counting('max_iterations: 2')).run({}, { engine, runId: 'r' });
    expect(stopped.termination.kind).toBe('max_iterations');
    await expect(
      workflowFrom(counting('max_iterations: 2')).resume('r', { engine, useCurrent: true }),
    ).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const done = await workflowFrom(counting('max_iterations: 5')).resume('r', { engine, useCurrent: true });
    expect(done.output).toEqual({ v: 3 });
  });

  it('of time and of cost holds with useCurrent', async () => {
    const { engine } = world();
    const sleeping = (seconds: number): string => `
workflow: {name: w, entry_point: a, limits: {timeout_seconds: ${seconds}}}
agents: [{name: a, type: wait, duration: 5s}]
output: {v: "yes"}
`;
    const late = await workflowFrom(sleeping(2)).run({}, { engine, runId: 't' });
    expect(late.termination.kind).toBe('time_budget');
    expect((await workflowFrom(sleeping(60)).resume('t', { engine, useCurrent: true })).outcome).toBe('succeeded');

    const spending = (usd: number): string => `
workflow:
  name: w
  entry_point: m
  limits: {budget_usd: ${usd}, budget_mode: enforce}
  cost: {pricing: {tiny: {input_per_mtok: 10, output_per_mtok: 20}}}
agents: [{name: m, model: tiny, prompt: spend}]
output: {v: "yes"}
`;
    const model = scriptedModel([{ text: 'ok', usage: { inputTokens: 2000, outputTokens: 100 } }]);
    const spent = await workflowFrom(spending(0.01), { model }).run({}, { engine, runId: 'c' });
    expect(spent.termination.kind).toBe('cost_budget');
    const more = await workflowFrom(spending(1), { model }).resume('c', { engine, useCurrent: true });
    expect(more.termination).toMatchObject({ kind: 'flow_completed' });
  });

  it('of a sub-workflow holds with useCurrent', async () => {
    const { engine } = world();
    const files = (limits: string) => ({ files: { 'child.yaml': counting(limits) } });
    const stopped = await workflowFrom(parent, files('max_iterations: 2')).run({}, { engine, runId: 'r' });
    expect(stopped.termination.kind).toBe('child_failed');
    const done = await workflowFrom(parent, files('max_iterations: 5')).resume('r', { engine, useCurrent: true });
    expect(done.output).toEqual({ v: 3 });
  });
});
