import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { activeRuns } from '../run/process/active-runs.js';
import { directoryWith, isAlive, runText, workflowFrom } from './workflow.fixture.js';

const single = (step: string): string => `
workflow: {name: w, entry_point: a}
agents: [{name: a, type: script, ${step}}]
output: {v: "{{ a.output | json(indent=none) }}"}
`;

describe('script steps', () => {
  it('end the whole process group when they take too long', async () => {
    const directory = directoryWith({ 'tree.sh': 'sleep 300 & echo $! > $1/pid; wait\n' });
    const result = await workflowFrom(
      single(`command: bash, args: ["${directory}/tree.sh", "${directory}"], timeout: 5`),
    ).run();
    expect(result.termination).toMatchObject({
      kind: 'failed',
      errorClass: 'external',
      error: { name: 'ExecutionError', message: "Script 'a' timed out after 5s", code: 'SCRIPT_TIMEOUT' },
    });
    expect(result.category).toBe('retryable');
    const pid = Number(readFileSync(join(directory, 'pid'), 'utf8'));
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isAlive(pid)).toBe(false);
  });

  it('are ended when the run is cancelled, which is its ending', async () => {
    const directory = directoryWith({ 'wait.sh': 'touch $1/begun; sleep 300\n' });
    const controller = new AbortController();
    const running = workflowFrom(single(`command: bash, args: ["${directory}/wait.sh", "${directory}"]`)).run(
      {},
      { signal: controller.signal },
    );
    while (!existsSync(join(directory, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort('enough');
    expect((await running).termination).toMatchObject({ kind: 'cancelled', by: 'caller', reason: 'enough' });
  });

  describe('that do not listen to SIGTERM', () => {
    /** Both the program and its child ignore the signal; the child also gives up its output. */
    const deaf =
      'trap "" TERM; (trap "" TERM; exec >/dev/null 2>&1; sleep 300; sleep 300) & echo $$ $! > $1/pids; wait; sleep 300\n';
    const begun = async (directory: string): Promise<readonly number[]> => {
      await expect
        .poll(() => existsSync(join(directory, 'pids')) && readFileSync(join(directory, 'pids'), 'utf8'))
        .toMatch(/\d+ \d+\n/);
      return readFileSync(join(directory, 'pids'), 'utf8').trim().split(' ').map(Number);
    };
    const step = (directory: string): string => `command: bash, args: ["${directory}/deaf.sh", "${directory}"]`;

    it('are gone with the whole group when the run timed out', async () => {
      const directory = directoryWith({ 'deaf.sh': deaf });
      const text = single(step(directory)).replace('entry_point: a', 'entry_point: a, limits: {timeout_seconds: 5}');
      const result = await workflowFrom(text).run();
      expect(result.termination.kind).toBe('time_budget');
      expect((await begun(directory)).filter(isAlive)).toEqual([]);
    });

    it('are gone when a sibling ended their fail-fast group', async () => {
      const directory = directoryWith({ 'deaf.sh': deaf });
      const text = `
workflow: {name: w, entry_point: g}
agents:
  - {name: a, type: script, ${step(directory)}}
  - {name: b, type: script, command: bash, args: ["-c", "while ! test -s ${directory}/pids; do sleep 0.05; done; kill -9 $$"], output: {x: {type: string}}}
parallel: [{name: g, agents: [a, b], failure_mode: fail_fast}]
`;
      const result = await workflowFrom(text).run();
      expect(result.outcome).toBe('failed');
      expect((await begun(directory)).filter(isAlive)).toEqual([]);
    });

    it('are gone after a hard cancel', async () => {
      const directory = directoryWith({ 'deaf.sh': deaf });
      const engine = memoryEngine();
      const running = workflowFrom(single(step(directory))).run({}, { engine, runId: 'r' });
      const pids = await begun(directory);
      for (const run of activeRuns(engine)) run.cancel({ by: 'caller', hard: true });
      expect((await running).termination.kind).toBe('cancelled');
      expect(pids.filter(isAlive)).toEqual([]);
    });
  });

  it('say which program cannot be started, and that an operator must act', async () => {
    const result = await runText(single('command: no-such-program-here'));
    expect(result.termination).toMatchObject({
      kind: 'failed',
      errorClass: 'configuration',
      error: { message: "Script 'a': command not found: 'no-such-program-here'", code: 'SCRIPT_ENOENT' },
    });
    expect(result.category).toBe('fatal');
    const nowhere = await runText(single('command: echo, working_dir: /no/such/directory'));
    expect(nowhere.termination).toMatchObject({
      error: { message: expect.stringContaining('(working_dir=/no/such/directory)') },
    });
  });

  it('keep a long output in a file and its beginning in the journal', async () => {
    const directory = directoryWith({});
    const result = await runText(single('command: bash, args: ["-c", "head -c 1500000 /dev/zero | tr \'\\\\0\' x"]'), {
      spillDirectory: directory,
    });
    const { stdout } = (result.output as { v: { stdout: string } }).v;
    const [, file] = /\[cut: 500000 more characters in (.+)\]$/.exec(stdout) ?? [];
    expect(readFileSync(file as string, 'utf8')).toHaveLength(1_500_000);
  });

  it('say which limit their JSON is over, where a schema expects it', async () => {
    const printing = (json: string): string =>
      single(`command: node, args: ["-e", 'console.log(${json})'], output: {n: {type: number}}`);
    const long = await runText(printing('JSON.stringify({n: 1, text: "x".repeat(5000)})'), {
      maxScriptOutputBytes: 1000,
    });
    expect(long.termination).toMatchObject({
      kind: 'failed',
      error: {
        name: 'ValidationError',
        message: expect.stringContaining(
          'its stdout is too long to be read as JSON: it printed more than 1000 bytes (the limit, maxScriptOutputBytes)',
        ),
      },
    });
    const deep = await runText(printing('"{\\"n\\":" + "[".repeat(600) + "]".repeat(600) + "}"'));
    expect(deep.termination).toMatchObject({
      error: { message: expect.stringContaining('is not valid JSON: More than 500 nested levels') },
    });
    const wrong = await runText(printing('"{n: 1}"'));
    expect(wrong.termination).toMatchObject({ error: { message: expect.stringContaining('is not valid JSON: ') } });
  });

  it('are stopped reading at the limit of their output', async () => {
    const result = await runText(single('command: bash, args: ["-c", "yes | head -c 5000000"]'), {
      maxScriptOutputBytes: 1000,
    });
    const { stdout, stderr } = (result.output as { v: { stdout: string; stderr: string } }).v;
    expect(stdout).toBe(`${'y\n'.repeat(500)}\n[cut: it printed more than 1000 bytes, and the rest is lost]`);
    expect(stderr).toBe('');
  });
});
