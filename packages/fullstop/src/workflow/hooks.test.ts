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
  it('is told of the time limit', async () => {
    const told: string[] = [];
    const workflow = workflowFrom(text, { onHook: ({ name, text: said }) => void told.push(`${name}: ${said}`) });
    const result = await workflow.run({}, { engine: world().engine });
    expect(result.termination.kind).toBe('time_budget');
    expect(told).toEqual(['on_error: TimeoutError time_budget after set']);
    const resumed = await result.resume({ timeoutSeconds: 100 });
    expect(resumed.termination.kind).toBe('flow_completed');
    expect(told.slice(1)).toEqual(['on_complete: done']);
  });

  it('is told when somebody cancels the run', async () => {
    const told: string[] = [];
    const controller = new AbortController();
    const onHook = ({ text: said }: { readonly text: string }): void => void told.push(said);
    const engine = sqliteEngine(`${directoryWith({})}/runs.db`);
    setTimeout(() => controller.abort(), 50);
    const result = await workflowFrom(text, { onHook }).run({}, { engine, signal: controller.signal });
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
});
