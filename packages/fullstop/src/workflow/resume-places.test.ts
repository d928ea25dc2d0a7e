import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { sqliteEngine } from '../engines/sqlite/index.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { faultyEngine } from '../testing/faulty-engine.js';
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

  const pair = `
workflow: {name: w, entry_point: g}
agents: [{name: a, prompt: one}, {name: b, prompt: two}]
parallel: [{name: g, agents: [a, b]}]
`;
  const killed = [
    { what: 'an agent', text: agent(), files: {}, prompt: 'be brief' },
    { what: 'an agent with a validator', text: agent(', validator: {criteria: short}'), files: {}, prompt: 'be brief' },
    { what: 'an agent of a sub-workflow', text: parent, files: { 'child.yaml': agent() }, prompt: 'be brief' },
    { what: 'the agent that is named', text: pair, files: {}, prompt: 'one.*be brief', at: 'g.a' },
    { what: 'the agent of a group that began last', text: pair, files: {}, prompt: 'two.*be brief' },
  ];

  it.each(killed)('reaches $what whose process was killed in its first call', async ({ text, files, prompt, at }) => {
    const folder = mkdtempSync(join(tmpdir(), 'fullstop-guided-'));
    const here = sqliteEngine(join(folder, 'runs.db'));
    const there = sqliteEngine(join(folder, 'runs.db'));
    const controller = new AbortController();
    const never = scriptedModel(() => ({ text: 'late', delay: '30s' }));
    const running = workflowFrom(text, { model: never, files }).run(
      {},
      { engine: here, runId: 'r', signal: controller.signal },
    );
    // What is there for others when the process is gone.
    await expect.poll(async () => (await there.journal('r')).some(({ key }) => key === 'prompt')).toBe(true);
    const left = await there.journal('r');
    expect(left.map(({ type }) => type)).not.toContain('step_ended');
    controller.abort('over');
    await running;
    await here.close();
    await there.close();

    const engine = memoryEngine();
    await engine.importRun(left);
    const seen: string[] = [];
    const model = scriptedModel(() => ({ text: '{"passed": true, "issues": []}' }), {
      onCall: ({ options }) => seen.push(JSON.stringify(options.prompt)),
    });
    const place = { guidance: 'be brief', ...(at !== undefined && { at }) };
    const done = await workflowFrom(text, { model, files }).resume('r', { engine, ...place });
    expect(done.termination).toMatchObject({ kind: 'flow_completed' });
    expect(seen.filter((each) => each.includes('be brief'))).toEqual([expect.stringMatching(prompt)]);
    // The fold of its journal comes to the same.
    expect((await workflowFrom(text, { model, files }).result('r', { engine }))?.history).toEqual(done.history);
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

  it('of steps holds with useCurrent where something else had ended the run', async () => {
    const { engine } = world();
    const broken = (limit: number, value: string): string =>
      counting(`max_iterations: ${limit}`).replace('value: "2"', `value: "${value}"`);
    const failed = await workflowFrom(broken(2, '{{ nothing.there }}')).run({}, { engine, runId: 'r' });
    expect(failed.termination.kind).toBe('failed');
    const done = await workflowFrom(broken(5, '2')).resume('r', { engine, useCurrent: true });
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

describe('what is said to an interrupted agent, and everything else that a resume changes,', () => {
  it('reach their own places: a limit of time stays the limit of the run', async () => {
    const { engine } = world();
    const model = scriptedModel([{ text: 'late', delay: '10s' }, { text: 'done' }], { clock: engine.clock });
    const text = agent().replace('entry_point: m', 'entry_point: m, limits: {timeout_seconds: 5}');
    const workflow = workflowFrom(text, { model });
    expect((await workflow.run({}, { engine, runId: 'r' })).termination.kind).toBe('time_budget');
    await expect(workflow.resume('r', { engine, guidance: 'be quick' })).rejects.toMatchObject({
      code: 'LIMIT_UNCHANGED',
    });
    const done = await workflow.resume('r', { engine, guidance: 'be quick', timeoutSeconds: 60 });
    expect(done.termination.kind).toBe('flow_completed');
  });

  it('reach their own places: steps are those of the workflow', async () => {
    const engine = memoryEngine();
    const controller = new AbortController();
    const prompts: string[] = [];
    const model = scriptedModel(
      () => {
        if (prompts.length === 1) controller.abort('enough');
        return prompts.length === 1 ? { text: 'late', delay: '10s' } : { text: 'done' };
      },
      { onCall: ({ options }) => prompts.push(JSON.stringify(options.prompt)) },
    );
    const text = `
workflow: {name: w, entry_point: m, limits: {max_iterations: 2}}
agents:
  - {name: m, prompt: go, routes: [{to: a}]}
  - {name: a, type: set, value: "1", routes: [{to: b}]}
  - {name: b, type: set, value: "2"}
output: {v: "{{ b.output }}"}
`;
    const workflow = workflowFrom(text, { model });
    await workflow.run({}, { engine, runId: 'r', signal: controller.signal });
    const done = await workflow.resume('r', { engine, guidance: 'be brief', maxIterations: 5 });
    expect(done.output).toEqual({ v: 2 });
    expect(prompts[1]).toContain('be brief');
  });

  it('is heard by the agent of a run whose process died, which ends as abandoned where it stood', async () => {
    const engine = faultyEngine(memoryEngine(), [
      { point: 'append', effect: 'crash_after', entry: 'step_ended', nth: 2 },
    ]);
    const prompts: string[] = [];
    const tools = { look: { description: 'Looks', inputSchema: { type: 'object' }, execute: () => 'seen' } } as never;
    const model = scriptedModel([{ toolCalls: [{ tool: 'look', input: {} }] }, { text: 'done' }], {
      onCall: ({ options }) => prompts.push(JSON.stringify(options.prompt)),
    });
    const workflow = workflowFrom(agent().replace('agents:', 'tools: [look]\nagents:'), { model, tools });
    void workflow.run({}, { engine, runId: 'r' });
    await expect.poll(() => engine.journal('r', { types: ['step_ended'] })).toHaveLength(1);
    await engine.lost('r');
    expect(await engine.ending('r')).toBeUndefined();
    const done = await workflow.resume('r', { engine, guidance: 'be brief' });
    expect(done).toMatchObject({ segment: 2, termination: { kind: 'flow_completed' } });
    expect(prompts.at(-1)).toContain('be brief');
    const endings = (await engine.journal('r', {
      types: ['segment_ended'],
    })) as readonly JournalEntry<'segment_ended'>[];
    expect(endings.map(({ data }) => data.envelope.termination.kind)).toEqual(['abandoned', 'flow_completed']);
  });
});

describe('gates that a resume skips', () => {
  const gates = `
workflow: {name: w, entry_point: one}
agents:
  - {name: one, type: human_gate, prompt: One?, options: [{label: "Yes", value: "yes", route: s}, {label: "No", value: "no", route: $end}]}
  - {name: s, type: script, command: bash, args: ["-c", "test -f ready"], routes: [{to: $end, when: "exit_code > 0"}, {to: two}]}
  - {name: two, type: human_gate, prompt: Two?, options: [{label: "Go", value: "go", route: $end}]}
output: {one: "{{ one.output.selected }}", two: "{{ two.output.selected }}"}
`;

  it('are the open one and all that follow', async () => {
    const { engine } = world();
    const workflow = workflowFrom(gates.replace('test -f ready', 'true'));
    expect((await workflow.run({}, { engine, runId: 'r' })).termination.kind).toBe('gate_pending');
    const done = await workflow.resume('r', { engine, skipGates: true });
    expect(done.output).toEqual({ one: 'yes', two: 'go' });
  });

  it('are skipped after a step that failed, too', async () => {
    const { engine } = world();
    let isBroken = true;
    const look = { description: 'Looks', inputSchema: { type: 'object' }, execute: () => 'seen' };
    const text = gates.replace(
      / {2}- \{name: s.*\n/,
      '  - {name: s, prompt: go, retry: {max_attempts: 1}, routes: [{to: two}]}\n',
    );
    const model = scriptedModel(() => (isBroken ? { error: { status: 400 } } : { text: 'done' }));
    const workflow = workflowFrom(text, { model, tools: { look } as never });
    await workflow.run({}, { engine, runId: 'r' });
    const failed = await workflow.resume('r', { engine, answers: { one: { decision: 'approve', value: 'yes' } } });
    expect(failed.termination.kind).toBe('child_failed');
    isBroken = false;
    const done = await workflow.resume('r', { engine, skipGates: true });
    expect(done.output).toEqual({ one: 'yes', two: 'go' });
  });
});
