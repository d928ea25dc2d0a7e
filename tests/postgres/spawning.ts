import { loadWorkflow, type Workflow } from '../../packages/fullstop/src/workflow/index.js';

// A workflow whose members are runs of their own, for tests and for workers in processes of their own.

const outer = `
workflow:
  name: fan-out
  entry_point: all
  input: { folder: { type: string, required: true }, items: { type: array, required: true } }
agents:
  - { name: last, type: script, command: printenv, args: [WORKER] }
for_each:
  - name: all
    type: for_each
    source: workflow.input.items
    as: item
    spawn: queue
    agent:
      name: one
      type: workflow
      workflow: inner.yaml
      input_mapping: { folder: '{{ workflow.input.folder }}', item: '{{ item }}' }
    routes: [{ to: last }]
output:
  workers: '{{ all.outputs | json }}'
  last: '{{ last.output.stdout }}'
`;

/** Each item says where it is in the folder, waits until its file `go` is there, and names its worker. A doomed worker never comes back from it. */
const inner = `
workflow:
  name: item
  entry_point: work
  input: { folder: { type: string, required: true }, item: { type: string, required: true } }
agents:
  - name: work
    type: script
    command: sh
    args:
      - -c
      - |
        cd "$1" && touch "begun.$2.$WORKER"
        while kill -0 $PPID 2>/dev/null && { [ "$WORKER" = doomed ] || ! [ -e go ]; }; do sleep 0.05; done
        printenv WORKER
      - sh
      - '{{ workflow.input.folder }}'
      - '{{ workflow.input.item }}'
output:
  by: '{{ work.output.stdout | trim }}'
`;

/** The workflow as a worker of this name has it. */
export function fanOut(worker: string): Workflow {
  const files: Readonly<Record<string, string>> = { '/w/outer.yaml': outer, '/w/inner.yaml': inner };
  return loadWorkflow('/w/outer.yaml', {
    env: { PATH: process.env['PATH'], WORKER: worker },
    workingDirectory: process.cwd(),
    readFile: (path) => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
      return text;
    },
  });
}
