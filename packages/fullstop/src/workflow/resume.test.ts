import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MachineObservation } from '../run/machine/machine.js';
import type { JsonObject } from '../termination/json.js';
import { workflowOfRun } from './load-workflow.js';
import { workflowMachine } from './machine/machine.js';
import { programOf } from './machine/program.js';
import { runText, workflowFrom, world } from './workflow.fixture.js';

/** A program that fails until a file is there, and writes down that it ran. */
function flaky(directory: string, name: string): string {
  const file = join(directory, `${name}.sh`);
  writeFileSync(file, `echo ${name} >> ${directory}/log; if test -f ${directory}/ok; then echo '{"ok": true}'; fi\n`);
  return `{name: ${name}, type: script, command: bash, args: [${file}], output: {ok: {type: boolean}}`;
}

const folder = (): string => mkdtempSync(join(tmpdir(), 'fullstop-resume-'));
const logOf = (directory: string): readonly string[] =>
  existsSync(join(directory, 'log')) ? readFileSync(join(directory, 'log'), 'utf8').trim().split('\n') : [];

describe('resuming a workflow', () => {
  it('tries the failed step again and keeps what is done', async () => {
    const directory = folder();
    const result = await runText(`
workflow: {name: w, entry_point: a}
agents:
  - {name: a, type: script, command: bash, args: ["-c", "echo a >> ${directory}/log"], routes: [{to: b}]}
  - ${flaky(directory, 'b')}}
output: {v: done}
`);
    expect(result.termination).toMatchObject({ kind: 'failed', origin: 'step', error: { name: 'ValidationError' } });
    expect(result.resumable.how).toBe('resume');
    writeFileSync(join(directory, 'ok'), '');
    const resumed = await result.resume();
    expect(resumed.termination).toEqual({ kind: 'flow_completed', last: 'b' });
    expect(resumed.output).toEqual({ v: 'done' });
    expect(resumed.history).toEqual(['a', 'b']);
    expect(logOf(directory)).toEqual(['a', 'b', 'b']);
  });

  it('goes down to the failed step of a sub-workflow', async () => {
    const directory = folder();
    const child = `
workflow: {name: c, entry_point: first}
agents:
  - {name: first, type: script, command: bash, args: ["-c", "echo first >> ${directory}/log"], routes: [{to: second}]}
  - ${flaky(directory, 'second')}}
output: {r: "inner"}
`;
    const result = await runText(
      `
workflow: {name: w, entry_point: s}
agents: [{name: s, type: workflow, workflow: child.yaml}]
output: {v: done}
`,
      { files: { 'child.yaml': child } },
    );
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      child: { name: 's', path: 's' },
      termination: { kind: 'failed', error: { name: 'ValidationError' } },
    });
    writeFileSync(join(directory, 'ok'), '');
    const resumed = await result.resume();
    expect(resumed.termination).toEqual({ kind: 'flow_completed', last: 's' });
    expect(logOf(directory)).toEqual(['first', 'second', 'second']);
  });

  it('tries only the failed members of a group again', async () => {
    const directory = folder();
    const result = await runText(`
workflow: {name: w, entry_point: p}
agents:
  - {name: a, type: script, command: bash, args: ["-c", "echo a >> ${directory}/log"]}
  - ${flaky(directory, 'b')}}
parallel: [{name: p, agents: [a, b], failure_mode: all_or_nothing}]
output: {v: done}
`);
    expect(result.termination).toMatchObject({ kind: 'failed', error: { name: 'ExecutionError' } });
    writeFileSync(join(directory, 'ok'), '');
    const resumed = await result.resume();
    expect(resumed.termination).toEqual({ kind: 'flow_completed', last: 'p' });
    expect([...logOf(directory)].sort()).toEqual(['a', 'b', 'b']);
  });

  it('keeps a sub-workflow that had succeeded when it was stopped from outside', () => {
    const { loaded } = workflowFrom(`
workflow: {name: c, entry_point: ok, hooks: {on_complete: told}}
agents: [{name: ok, type: terminate, status: success, reason: small}]
`);
    const machine = workflowMachine(programOf(loaded, false));
    const start = { scope: 'c', maxIterations: 10, budgetUsd: null, skipGates: false };
    const said = (key: string, value: JsonObject): MachineObservation => ({ type: 'value', key, value, at: 1 });
    const started = machine.apply(machine.init(start), said('start', { inputs: '{}' }));
    const ended = machine.apply(started, said('terminate:ok', { status: 'success', reason: 'small', output: '{}' }));
    const resumed = machine.resume?.(ended, { seq: 9, at: 2, reach: 0, segment: 2, options: {} } as never) ?? ended;
    expect(machine.decide(resumed)).toMatchObject({ type: 'perform', effects: [{ key: 'hook:on_complete' }] });
    const told = machine.apply(resumed, said('hook:on_complete', { name: 'on_complete', text: 'told' }));
    expect(machine.decide(told)).toMatchObject({ type: 'end', termination: { kind: 'terminated', status: 'success' } });
  });

  it('needs a larger limit after the limit of steps, which is a total', async () => {
    const result = await runText(`
workflow: {name: w, entry_point: a, limits: {max_iterations: 2}}
agents:
  - {name: a, type: set, value: "1", routes: [{to: b}]}
  - {name: b, type: set, value: "2", routes: [{to: c}]}
  - {name: c, type: set, value: "3"}
output: {v: done}
`);
    expect(result.termination).toEqual({ kind: 'max_iterations', limit: 2, used: 2, unit: 'step' });
    await expect(result.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    await expect(result.resume({ maxIterations: 2 })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const resumed = await result.resume({ maxIterations: 3 });
    expect(resumed.termination).toEqual({ kind: 'flow_completed', last: 'c' });
    expect(resumed.history).toEqual(['a', 'b', 'c']);
  });

  it('raises the limit of the sub-workflow that reached it', async () => {
    const child = `
workflow: {name: c, entry_point: a, limits: {max_iterations: 1}}
agents:
  - {name: a, type: set, value: "1", routes: [{to: b}]}
  - {name: b, type: set, value: "2"}
`;
    const result = await runText(
      'workflow: {name: w, entry_point: s}\nagents: [{name: s, type: workflow, workflow: child.yaml}]\n',
      { files: { 'child.yaml': child } },
    );
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'max_iterations', limit: 1 },
    });
    expect((await result.resume({ maxIterations: 5 })).termination).toEqual({ kind: 'flow_completed', last: 's' });
  });

  it('continues after the time limit, where active time is a total', async () => {
    const { engine } = world();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: a, limits: {timeout_seconds: 10}}
agents: [{name: a, type: wait, duration: 60s}]
output: {v: done}
`);
    const result = await workflow.run({}, { engine });
    expect(result.termination).toEqual({ kind: 'time_budget', limitMs: 10_000, elapsedMs: 10_000, scope: 'run' });
    const resumed = await result.resume({ timeoutSeconds: 100 });
    expect(resumed.termination).toEqual({ kind: 'flow_completed', last: 'a' });
  });

  it('uses the files as they were when the run began, also from the run alone', async () => {
    const { engine } = world();
    const text = (value: string): string => `
workflow: {name: w, entry_point: ask}
agents:
  - {name: ask, type: human_gate, prompt: "Go?", options: [{label: Yes, value: y, route: s}]}
  - {name: s, type: set, value: "${value}"}
output: {v: "${value}"}
`;
    const first = await workflowFrom(text('old')).run({}, { engine, runId: 'one' });
    expect(first.termination).toMatchObject({
      kind: 'gate_pending',
      gates: [{ gateId: 'ask', path: 'ask', summary: 'Go?' }],
    });
    const answers = { ask: { decision: 'value', value: 'y' } } as const;
    const second = await workflowFrom(text('new')).resume('one', { engine, answers });
    expect(second.output).toEqual({ v: 'old' });

    await workflowFrom(text('old')).run({}, { engine, runId: 'two' });
    const rebuilt = await workflowOfRun(engine, 'two', { env: {} });
    expect((await rebuilt.resume('two', { engine, answers })).output).toEqual({ v: 'old' });

    await workflowFrom(text('old')).run({}, { engine, runId: 'three' });
    const current = await workflowFrom(text('new')).resume('three', { engine, answers, useCurrent: true });
    expect(current.output).toEqual({ v: 'new' });
  });

  it('continues with the current file at later resumes too', async () => {
    const { engine } = world();
    const text = (value: string): string => `
workflow: {name: w, entry_point: one}
agents:
  - {name: one, type: human_gate, prompt: "Go?", options: [{label: Yes, value: y, route: two}]}
  - {name: two, type: human_gate, prompt: "Really?", options: [{label: Yes, value: y, route: s}]}
  - {name: s, type: set, value: "${value}"}
output: {v: "{{ s.output }}"}
`;
    const yes = { decision: 'value', value: 'y' } as const;
    await workflowFrom(text('old')).run({}, { engine, runId: 'r' });
    await workflowFrom(text('new')).resume('r', { engine, answers: { one: yes }, useCurrent: true });
    const rebuilt = await workflowOfRun(engine, 'r', { env: {} });
    expect((await rebuilt.resume('r', { engine, answers: { two: yes } })).output).toEqual({ v: 'new' });
  });

  it('does not try a step again that failed after an answer given elsewhere', async () => {
    const { engine } = world();
    const directory = folder();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: one}
agents:
  - {name: one, type: human_gate, prompt: "Go?", options: [{label: Yes, value: y, route: two}]}
  - {name: two, type: human_gate, prompt: "Really?", options: [{label: Yes, value: y, route: b}]}
  - ${flaky(directory, 'b')}}
`);
    const yes = { decision: 'value', value: 'y' } as const;
    await workflow.run({}, { engine, runId: 'r' });
    await engine.answer('r', 'one', yes);
    expect((await workflow.resume('r', { engine })).termination.kind).toBe('gate_pending');
    await engine.answer('r', 'two', yes);
    expect((await workflow.resume('r', { engine })).termination.kind).toBe('failed');
    const opened = (await engine.journal('r')).filter(({ type }) => type === 'segment_opened');
    expect({ log: logOf(directory), opened: opened.length }).toEqual({ log: ['b'], opened: 2 });
  });

  it('refuses the current file when it lacks a step that the run has done', async () => {
    const { engine } = world();
    await workflowFrom(`
workflow: {name: w, entry_point: s}
agents:
  - {name: s, type: set, value: "1", routes: [{to: ask}]}
  - {name: ask, type: human_gate, prompt: "Go?", options: [{label: Yes, value: y, route: $end}]}
`).run({}, { engine, runId: 'r' });
    const changed = workflowFrom(`
workflow: {name: w, entry_point: ask}
agents: [{name: ask, type: human_gate, prompt: "Go?", options: [{label: Yes, value: y, route: $end}]}]
`);
    await expect(changed.resume('r', { engine, useCurrent: true })).rejects.toThrow('it has no s any more');
  });

  it('reaches the same result after every step was replayed', async () => {
    const text = `
workflow: {name: w, entry_point: a}
agents:
  - {name: a, type: set, value: "1", routes: [{to: p}]}
  - {name: m, type: script, command: echo, args: ["hi"]}
  - {name: n, type: wait, duration: 5s}
  - {name: z, type: terminate, status: success, reason: through}
parallel: [{name: p, agents: [m, n], routes: [{to: z}]}]
output: {v: done}
`;
    const plain = await runText(text);
    const replayed = await runText(text, { run: { alwaysReplay: true, engine: world().engine } });
    expect(replayed.termination).toEqual(plain.termination);
    expect(replayed.history).toEqual(plain.history);
    expect(plain.history).toEqual(['a', 'p', 'z']);
  });
});

describe('limits of a workflow', () => {
  const text = 'workflow: {name: w, entry_point: a}\nagents: [{name: a, type: set, value: "1", routes: [{to: a}]}]\n';

  it.each([0, -1, 1.5, Number.NaN])('are refused before anything starts when they are %s', async (limit) => {
    const { engine } = world();
    const workflow = workflowFrom(text);
    const started = workflow.run({}, { engine, runId: 'r', maxIterations: limit });
    await expect(started).rejects.toMatchObject({
      code: 'INVALID_LIMIT',
      message: expect.stringContaining('maxIterations'),
    });
    expect(await engine.summary('r')).toBeUndefined();
  });

  it('are refused on resume too, and the run stays as it was', async () => {
    const { engine } = world();
    const stopped = await workflowFrom(text).run({}, { engine, runId: 'r', maxIterations: 2 });
    for (const change of [
      { maxIterations: 9, budgetUsd: 0 },
      { maxIterations: 9, timeoutSeconds: 0 },
    ])
      await expect(stopped.resume(change)).rejects.toMatchObject({ code: 'INVALID_LIMIT' });
    expect((await engine.summary('r'))?.segment).toBe(1);
  });
});
