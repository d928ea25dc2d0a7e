import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteEngine } from '../engines/sqlite/index.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { workflowOfRun } from './load-workflow.js';
import { workflowFrom } from './workflow.fixture.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fullstop-durable-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = `
workflow: {name: release, entry_point: plan, input: {n: {type: number, default: 2}}}
agents:
  - {name: plan, prompt: "plan {{ workflow.input.n }}", output: {parts: {type: array}}, routes: [{to: each}]}
  - {name: ask, type: human_gate, prompt: "Ship {{ each.outputs | join(' and ') }}?", options: [{label: Ship, value: ship, route: done}]}
  - {name: done, type: terminate, status: success, reason: "{{ ask.output.selected }} {{ plan.output.parts | length }}"}
for_each:
  - {name: each, type: for_each, source: plan.output.parts, as: part, agent: {name: build, type: set, value: "built {{ part }}"}, routes: [{to: ask}]}
output: {parts: "{{ each.outputs | json }}", ratio: "{{ 1.0 }}"}
`;

describe('a workflow on a file', () => {
  it('is paused by one process and finished by another, from the run alone', async () => {
    const file = join(folder, 'runs.db');
    const here = sqliteEngine(file);
    const model = scriptedModel([{ output: { parts: ['a', 'b'] } }]);
    const paused = await workflowFrom(text, { model }).run({}, { engine: here, runId: 'r' });
    expect(paused.termination).toMatchObject({
      kind: 'gate_pending',
      gates: [{ gateId: 'ask', summary: 'Ship built a and built b?' }],
    });
    await here.close();

    const there = sqliteEngine(file);
    const workflow = await workflowOfRun(there, 'r', { env: {}, model: scriptedModel([{ text: 'never asked' }]) });
    const done = await workflow.resume('r', { engine: there, answers: { ask: { decision: 'value', value: 'ship' } } });
    expect(done.termination).toMatchObject({ kind: 'terminated', status: 'success', reason: 'ship 2', by: 'done' });
    expect(done.outputText).toBe('{"parts": ["built a", "built b"], "ratio": 1.0}');
    expect(done.history).toEqual(['plan', 'each', 'ask', 'done']);
    expect((await workflow.result('r', { engine: there }))?.outputText).toBe(done.outputText);
    await there.close();
  });
});
