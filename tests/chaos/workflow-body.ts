import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnableDefinition } from '../../packages/fullstop/src/engines/port/engine.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { workflowOfRun } from '../../packages/fullstop/src/workflow/load-workflow.js';

/** Writes down where and in which process it runs, takes a moment, and prints which execution this was. */
const effect =
  'id=$$-$(date +%N); printf "%s %s %s\\n" "$id" "$PPID" "$1" >> "$0"; sleep 0.0$2; printf \'{"id": "%s"}\' "$id"';

function script(place: string): string {
  const args = [
    '-c',
    effect,
    '{{ workflow.input.log }}',
    `{{ workflow.input.run }} ${place}`,
    '{{ workflow.input.pace }}',
  ];
  return `type: script, command: sh, args: ${JSON.stringify(args)}`;
}

const order = `
workflow:
  name: order
  entry_point: receive
  input: {run: {type: string}, log: {type: string}, pace: {type: number}, items: {type: array}}
  limits: {max_iterations: 100}
agents:
  - {name: receive, ${script('receive')}, routes: [{to: pack}]}
  - name: approve
    type: human_gate
    prompt: "Ship {{ pack.count }} parcels?"
    options: [{label: Yes, value: ship, route: ship}, {label: Once more, value: again, route: again}]
  - {name: again, ${script('again {{ context.iteration }}')}, routes: [{to: approve}]}
  - {name: ship, type: workflow, workflow: ship.yaml, routes: [{to: close}]}
  - {name: close, ${script('close')}, routes: [{to: $end}]}
for_each:
  - name: pack
    type: for_each
    source: workflow.input.items
    as: part
    max_concurrent: 2
    agent: {name: box, ${script('pack {{ part }}')}}
    routes: [{to: approve}]
output:
  receive: "{{ receive.output.id }}"
  packed: "{{ pack.outputs | map(attribute='id') | list | json }}"
  shipped: "{{ ship.output | json }}"
  close: "{{ close.output.id }}"
`;

const ship = `
workflow:
  name: ship
  entry_point: label
  input: {run: {type: string}, log: {type: string}, pace: {type: number}}
agents:
  - {name: label, ${script('ship label')}, routes: [{to: hand_over}]}
  - name: hand_over
    type: human_gate
    prompt: "Taken?"
    options: [{label: Yes, value: taken, route: note}]
  - {name: note, ${script('ship note')}, routes: [{to: $end}]}
output: {label: "{{ label.output.id }}", note: "{{ note.output.id }}"}
`;

/** Writes the files of the workflow and gives the path of the first. */
export function writeFiles(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ship.yaml'), ship);
  writeFileSync(join(folder, 'order.yaml'), order);
  return join(folder, 'order.yaml');
}

interface Fate {
  readonly file: string;
  readonly log: string;
  /** Milliseconds between the first run that it gets and its end; without it the process lives on. */
  readonly delay: number | undefined;
}

/** A process that executes runs from the files stored with them until it is killed: never before it has something to lose. */
export function work({ file, log, delay }: Fate): void {
  appendFileSync(log, `worker ${process.pid}\n`);
  let isDoomed = false;
  let loading = 0;
  // Ten deaths in a row while a file is loaded would set its run aside, which is another subject.
  const die = (): void => {
    if (loading > 0) setTimeout(die, 5);
    else process.kill(process.pid, 'SIGKILL');
  };
  const stored: RunnableDefinition = {
    name: 'order',
    version: '1',
    async execute(session, engine) {
      loading += 1;
      const workflow = await workflowOfRun(engine, session.identity.runId).finally(() => {
        loading -= 1;
      });
      if (delay !== undefined && !isDoomed) setTimeout(die, delay);
      isDoomed = true;
      return workflow.execute(session, engine);
    },
  };
  sqliteEngine(file, { pollMs: 20 }).worker([stored], { concurrency: 4 });
}
