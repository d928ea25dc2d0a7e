import { memoryEngine } from 'fullstop';
import { pipeline } from 'fullstop/pipeline';
import { scriptedModel } from 'fullstop/testing';
import { loadWorkflow } from 'fullstop/workflow';
import type { RunRecord } from '../../why/explain-run.js';
import { recordOf } from '../../why/records.fixture.js';

const main = `workflow:
  name: triage
  entry_point: plan
  limits: { max_iterations: 20 }
  input:
    topic: { type: string, default: "old <b>report</b>" }
agents:
  - name: plan
    type: set
    values: { score: "4" }
    routes:
      - to: praise
        when: "{{ plan.output.score > 7 }}"
      - to: fan
        when: "{{ plan.output.score > 3 }}"
      - to: stop
  - name: left
    type: set
    value: "1"
  - name: write
    prompt: "Write about {{ workflow.input.topic }}"
  - name: praise
    type: terminate
    status: success
    reason: "Nothing to do"
  - name: sub
    type: workflow
    workflow: ./sub.yaml
    routes: [{ to: stop }]
  - name: stop
    type: terminate
    status: failed
    reason: "The {{ workflow.input.topic }} is not good enough"
parallel:
  - name: fan
    agents: [left, write]
    routes: [{ to: each }]
for_each:
  - name: each
    type: for_each
    source: workflow.input.items
    as: item
    agent: { name: look, prompt: "Look at {{ item }}" }
    routes: [{ to: sub }]
`;

const sub = `workflow:
  name: inner
  entry_point: one
agents:
  - name: one
    type: set
    value: "1"
    routes: [{ to: two }]
  - name: two
    prompt: inner prompt
    routes: [{ to: $end }]
`;

const texts: Readonly<Record<string, string>> = { '/flows/triage.yaml': main, '/flows/sub.yaml': sub };

/** A workflow with every part that is drawn: routes, a parallel group, a for_each group, a sub-workflow, terminate steps. */
export async function workflowRecord(): Promise<RunRecord> {
  const engine = memoryEngine();
  const model = scriptedModel([{ text: '**bold** words' }], { exhausted: 'repeat-last' });
  const workflow = loadWorkflow('/flows/triage.yaml', {
    model,
    readFile: (path: string): string => {
      const text = texts[path];
      if (text === undefined) throw new Error(`There is no ${path}.`);
      return text;
    },
  } as never);
  await workflow.run({ items: ['a', 'b', 'c'] } as never, { engine, runId: 'r_flow' });
  return recordOf(engine, 'r_flow');
}

/** A pipeline whose second stage is skipped, and whose last fails. */
export async function pipelineRecord(): Promise<RunRecord> {
  const engine = memoryEngine();
  const flow = pipeline('publish')
    .stage('fetch', async (_done, stage) => stage.context.step('download', () => 1))
    .stage('spell', () => 'fine', { skip: () => 'nothing to check' })
    .stage('print', () => {
      throw new Error('no paper');
    });
  await flow.run(undefined as never, { engine, runId: 'r_pipe' });
  return recordOf(engine, 'r_pipe');
}
