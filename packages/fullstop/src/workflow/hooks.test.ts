import { describe, expect, it } from 'vitest';
import { sqliteEngine } from '../engines/sqlite/index.js';
import { directoryWith, workflowFrom, world } from './workflow.fixture.js';

const text = `
workflow:
  name: w
  entry_point: s
  limits: {timeout_seconds: 10}
  hooks: {on_error: "{{ error.type }} {{ ending.kind }} after {{ s.output | default('nothing') }}", on_complete: "done"}
agents:
  - {name: s, type: set, value: "set", routes: [{to: a}]}
  - {name: a, type: wait, duration: 60s}
`;

describe('the on_error hook', () => {
  it('is notified of the time limit', async () => {
    const told: string[] = [];
    const workflow = workflowFrom(text, { onHook: ({ name, text: said }) => void told.push(`${name}: ${said}`) });
    const result = await workflow.run({}, { engine: world().engine });
    expect(result.termination.kind).toBe('time_budget');
    expect(told).toEqual(['on_error: TimeoutError time_budget after set']);
    const resumed = await result.resume({ timeoutSeconds: 100 });
    expect(resumed.termination.kind).toBe('flow_completed');
    expect(told.slice(1)).toEqual(['on_complete: done']);
  });

  it('is notified when someone cancels the run', async () => {
    const told: string[] = [];
    const controller = new AbortController();
    const onHook = ({ text: said }: { readonly text: string }): void => void told.push(said);
    const engine = sqliteEngine(`${directoryWith({})}/runs.db`);
    const onEntry = ({ key }: { readonly key?: string | undefined }): void => {
      if (key === 'set:s') controller.abort();
    };
    const result = await workflowFrom(text, { onHook }).run({}, { engine, signal: controller.signal, onEntry });
    await engine.close();
    expect(result.termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
    expect(told).toEqual(['ExecutionError cancelled after set']);
  });

  it('changes nothing when it fails', async () => {
    const onHook = (): never => {
      throw new Error('nobody listens');
    };
    const result = await workflowFrom(text, { onHook }).run({}, { engine: world().engine });
    expect(result.termination.kind).toBe('time_budget');
  });

  it('of a sub-workflow is notified of its own time limit, before its parent continues', async () => {
    const told: string[] = [];
    const parent = `
workflow: {name: p, entry_point: c, hooks: {on_error: "parent {{ error.type }}"}}
agents: [{name: c, type: workflow, workflow: child.yaml}]
`;
    const onHook = ({ workflow, text: said }: { workflow: string; text: string }): void =>
      void told.push(`${workflow}: ${said}`);
    const workflow = workflowFrom(parent, { files: { 'child.yaml': text }, onHook });
    const result = await workflow.run({}, { engine: world().engine });
    expect(result.termination).toMatchObject({ kind: 'child_failed', termination: { kind: 'time_budget' } });
    expect(told).toEqual(['w: TimeoutError time_budget after set', 'p: parent TimeoutError']);
    expect(result.observations.filter(({ type }) => type === 'hook')).toMatchObject([
      { name: 'on_error', of: 'c', text: 'TimeoutError time_budget after set' },
      { name: 'on_error', text: 'parent TimeoutError' },
    ]);
    const resumed = await result.resume({ timeoutSeconds: 100 });
    expect(resumed.termination.kind).toBe('flow_completed');
    expect(told.slice(2)).toEqual(['w: done']);
  });

  it('of sub-workflows in a group are all notified, once each, and the failure can be routed on', async () => {
    const told: string[] = [];
    const parent = `
workflow: {name: p, entry_point: list}
agents:
  - {name: list, type: set, values: {items: "[1, 2]"}, routes: [{to: each}]}
  - {name: after, type: set, value: x}
for_each:
  - name: each
    type: for_each
    source: list.output.items
    as: item
    failure_mode: all_or_nothing
    agent: {name: c, type: workflow, workflow: child.yaml}
    on_error: [{kind: time_budget, to: after}]
output: {v: done}
`;
    const onHook = ({ text: said }: { text: string }): void => void told.push(said);
    const { engine } = world();
    const workflow = workflowFrom(parent, {
      files: { 'child.yaml': text },
      onHook,
    });
    const result = await workflow.run({}, { engine, runId: 'r', alwaysReplay: true });
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'after' });
    expect(told).toEqual(['TimeoutError time_budget after set', 'TimeoutError time_budget after set']);
  });

  it('of a sub-workflow is not notified of the time limit of its parent', async () => {
    const told: string[] = [];
    const parent = `
workflow: {name: p, entry_point: c, limits: {timeout_seconds: 5}}
agents: [{name: c, type: workflow, workflow: child.yaml}]
`;
    const workflow = workflowFrom(parent, {
      files: { 'child.yaml': text },
      onHook: ({ text: said }) => void told.push(said),
    });
    const result = await workflow.run({}, { engine: world().engine });
    expect(result.termination.kind).toBe('time_budget');
    expect(told).toEqual([]);
  });
});
