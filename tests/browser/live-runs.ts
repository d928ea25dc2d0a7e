import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { binary, makeFolder, programEnvironment } from './dashboard.js';

/** Waits for a file, so that a test and not a clock decides when a step ends. */
const until = (file: string): string => `args: ["-c", "until [ -e ${file} ]; do sleep 0.1; done"]`;

const files: Readonly<Record<string, string>> = {
  'live.yaml': `workflow: {name: live, entry_point: note}
agents:
  - {name: note, type: set, value: begun, routes: [{to: inside}]}
  - {name: inside, type: workflow, workflow: ./hold.yaml, routes: [{to: stop}]}
  - {name: stop, type: terminate, status: failed, reason: "It was {{ note.output }} and is over"}
`,
  'hold.yaml': `workflow: {name: hold, entry_point: hold}
agents:
  - {name: hold, type: script, command: sh, ${until('go')}, routes: [{to: $end}]}
`,
  'left.yaml': `workflow: {name: left, entry_point: nap}
agents:
  - {name: nap, type: script, command: sh, ${until('go-left')}, routes: [{to: $end}]}
`,
  'flaky.yaml': `workflow: {name: flaky, entry_point: fetch}
agents:
  - {name: fetch, type: script, command: ./fetch-it, routes: [{to: after}]}
  - {name: after, type: set, value: "**fine** again", routes: [{to: $end}]}
`,
  'steps.yaml': `workflow:
  name: steps
  entry_point: one
  input: {topic: {type: string, default: reports}}
agents:
  - {name: one, type: set, value: "1", routes: [{to: two}]}
  - {name: two, type: set, value: "{{ workflow.input.topic }}", routes: [{to: three}]}
  - {name: three, type: set, value: "{{ two.output }}", routes: [{to: $end}]}
`,
  'count.yaml': `workflow:
  name: count
  entry_point: page
  limits: {max_iterations: 3}
agents:
  - name: page
    type: set
    value: "{{ context.iteration }}"
    routes:
      - {to: $end, when: "{{ context.iteration >= 6 }}"}
      - {to: page}
`,
  'gate.yaml': `workflow: {name: gate, entry_point: review}
agents:
  - name: review
    type: human_gate
    prompt: May it be released?
    options:
      - {label: Release it, value: "yes", route: release}
      - {label: Keep it, value: "no", route: keep}
  - {name: release, type: set, value: released, routes: [{to: $end}]}
  - {name: keep, type: terminate, status: failed, reason: It was kept.}
`,
};

const owners = new Set<ChildProcess>();

afterAll(async () => {
  await Promise.all([...owners].map(endOwner));
});

/** A folder with workflow files whose steps wait for the test. */
export function makeLiveFolder(): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs the command line to its end. */
export function fullstop(
  folder: string,
  ...args: readonly string[]
): { readonly code: number | null; readonly out: string; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...args], {
    cwd: folder,
    env: programEnvironment(folder),
    encoding: 'utf8',
  });
  return { code: status, out: stdout, said: stderr };
}

/** Starts a run that a process of its own executes, in a group that ends with it. */
export function startRun(folder: string, file: string, runId: string): ChildProcess {
  const owner = spawn(process.execPath, [binary, 'run', file, '--run-id', runId, '-q', '--no-input'], {
    cwd: folder,
    env: programEnvironment(folder),
    stdio: 'ignore',
    detached: true,
  });
  owners.add(owner);
  owner.once('close', () => owners.delete(owner));
  return owner;
}

/** Kills the owner of a run and everything that it started. */
export async function endOwner(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null || owner.pid === undefined) return;
  const ended = new Promise((done) => owner.once('close', done));
  process.kill(-owner.pid, 'SIGKILL');
  await ended;
}
