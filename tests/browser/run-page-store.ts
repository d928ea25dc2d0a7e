import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineAgent, maxIterations } from 'fullstop';
import { type SqliteEngine, sqliteEngine } from 'fullstop/engines/sqlite';
import { scriptedModel } from 'fullstop/testing';
import { loadWorkflow } from 'fullstop/workflow';
import { binary, programEnvironment } from './dashboard.js';

/** Texts that someone might put into a tool, in the hope that a page obeys it. */
export const hostileText: string =
  '<script>document.title = "taken"</script><img src=x onerror="document.title=\'taken\'"> [go](javascript:alert(1)) \u001b[31mred\u001b[0m pay \u202egnp.exe שלום';

const layered = `workflow:
  name: layered
  entry_point: plan
  limits: { max_iterations: 30 }
  input: { topic: { type: string, default: reports } }
agents:
  - name: plan
    type: set
    values: { score: "4" }
    routes:
      - { to: praise, when: "{{ plan.output.score > 7 }}" }
      - { to: fan, when: "{{ plan.output.score > 3 }}" }
      - { to: refuse }
  - { name: left, type: set, value: "1" }
  - { name: write, prompt: "Write about {{ workflow.input.topic }}" }
  - { name: praise, type: terminate, status: success, reason: Nothing to do }
  - { name: sub, type: workflow, workflow: ./inner.yaml, routes: [{ to: refuse }] }
  - { name: refuse, type: terminate, status: failed, reason: "The {{ workflow.input.topic }} are not good enough" }
parallel:
  - { name: fan, agents: [left, write], routes: [{ to: sub }] }
`;

const inner = `workflow: { name: inner, entry_point: one }
agents:
  - { name: one, type: set, value: "1", routes: [{ to: two }] }
  - { name: two, prompt: inner prompt, routes: [{ to: $end }] }
`;

/** Adds runs that the usual store has not: one with every form of node, one with hostile texts, and a long one. */
export async function addSpecialRuns(folder: string): Promise<void> {
  writeFileSync(join(folder, 'layered.yaml'), layered);
  writeFileSync(join(folder, 'inner.yaml'), inner);
  const engine = sqliteEngine(join(folder, '.fullstop/runs.db'));
  try {
    const model = scriptedModel([{ text: '**bold** words' }], { exhausted: 'repeat-last' });
    await loadWorkflow(join(folder, 'layered.yaml'), { model }).run({}, { engine, runId: 'r_layered' });
    await runHostile(engine);
  } finally {
    await engine.close();
  }
}

async function runHostile(engine: SqliteEngine): Promise<void> {
  const read = {
    description: 'Reads',
    inputSchema: { type: 'object' as const, properties: {} },
    execute: async () => hostileText,
  };
  const agent = defineAgent({
    name: 'reader <b>of</b> mail',
    model: scriptedModel([
      { text: `# Plan\n${hostileText}`, toolCalls: [{ tool: 'read', input: { note: hostileText } }] },
      { text: 'x '.repeat(2_500_000) },
    ]),
    tools: { read },
    stopWhen: [maxIterations(5)],
  } as never) as unknown as { run(input: string, options: object): Promise<unknown> };
  await agent.run(hostileText, { engine, runId: 'r_hostile' });
}

/** A run whose process was killed in the middle of a step. */
export async function addOrphan(folder: string): Promise<void> {
  const file = join(folder, 'stuck.yaml');
  writeFileSync(
    file,
    'workflow: { name: stuck, entry_point: nap }\nagents:\n  - { name: nap, type: script, command: sh, args: ["-c", "echo ready >&2; sleep 600"] }\n',
  );
  const child = spawn(process.execPath, [binary, 'run', file, '--run-id', 'r_orphan', '--no-input'], {
    cwd: folder,
    env: programEnvironment(folder),
    stdio: 'ignore',
    detached: true,
  });
  const engine = sqliteEngine(join(folder, '.fullstop/runs.db'));
  try {
    const hasBegun = async (): Promise<boolean> =>
      (await engine.summary('r_orphan')) !== undefined &&
      (await engine.journal('r_orphan')).some(({ type }) => type === 'step_noted');
    while (!(await hasBegun())) await new Promise((done) => setTimeout(done, 50));
  } finally {
    await engine.close();
    const ended = new Promise((done) => child.once('close', done));
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
  }
}
