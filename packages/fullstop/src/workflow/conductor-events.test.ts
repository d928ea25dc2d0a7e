import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import type { JsonObject } from '../termination/json.js';
import { conductorEvents } from './conductor-events.js';
import type { ConductorLogEvent } from './events/conductor-event.js';
import { workflowFrom, world } from './workflow.fixture.js';
import type { WorkflowResult } from './workflow.js';

const every = `
workflow:
  name: every
  entry_point: think
  metadata: {team: core}
  input: {topic: {type: string}, times: {type: number, default: 2}}
  runtime: {provider: openai, default_reasoning_effort: low}
agents:
  - name: think
    model: "\${MODEL:-gpt-5}"
    prompt: "Think about {{ workflow.input.topic }}"
    output: {score: {type: number}}
    retry: {max_attempts: 2, delay_seconds: 0, max_parse_recovery_attempts: 1}
    validator: {criteria: "at least 2", max_retries: 1}
    routes: [{when: "score > 1", to: print}, {to: $end}]
  - name: print
    type: script
    command: cat
    stdin: "hello"
    routes: [{to: pick}]
  - name: pick
    type: set
    values: {b: "2", a: "1"}
    routes: [{to: rest}]
  - name: rest
    type: wait
    duration: 2s
    reason: "because {{ pick.output.a }}"
    routes: [{to: ask}]
  - name: ask
    type: human_gate
    prompt: "Go on?"
    options:
      - {label: "Yes", value: "yes", route: more}
      - {label: "No", value: "no", route: $end, prompt_for: why}
  - name: more
    type: questions
    prompt: Two things
    questions:
      - {id: colour, text: "Which colour?", choices: [red, blue], allow_free_text: false, required: true}
      - {id: note, text: "Anything else?", default: none}
    routes: [{to: below}]
  - name: below
    type: workflow
    workflow: child.yaml
    input_mapping: {n: "1"}
    routes: [{to: both}]
  - {name: left, prompt: L}
  - {name: right, type: set, value: "1"}
  - {name: halt, type: terminate, status: success, reason: "all {{ each.count }} seen"}
parallel:
  - {name: both, agents: [left, right], routes: [{to: each}]}
for_each:
  - name: each
    type: for_each
    source: more.output.items
    as: item
    max_concurrent: 1
    agent: {name: call, type: workflow, workflow: child.yaml, input_mapping: {n: "2"}}
    routes: [{to: halt}]
output: {a: "{{ pick.output.a }}"}
`;
const child = `
workflow: {name: child, entry_point: one, input: {n: {type: number}}}
agents:
  - {name: one, type: set, value: "{{ workflow.input.n }}"}
output: {n: "{{ one.output }}"}
`;

interface Says {
  readonly gates?: readonly { gateId: string }[];
  readonly requests?: readonly { id: string }[];
}

/** A run of every type of step, with a person who first answers what is no choice. */
async function runEvery(): Promise<WorkflowResult> {
  const { engine } = world();
  const model = scriptedModel({
    answers: {
      think: [
        { error: { status: 500 } },
        { output: { score: 'no' }, usage: { inputTokens: 10, outputTokens: 2 } },
        { output: { score: 1 }, usage: { inputTokens: 20, outputTokens: 3 } },
        { output: { score: 2 }, usage: { inputTokens: 30, outputTokens: 4 } },
      ],
      'think (validator)': [
        { output: { passed: false, issues: ['too low'] }, usage: { inputTokens: 5, outputTokens: 1 } },
      ],
      left: [{ text: 'l', usage: { inputTokens: 1, outputTokens: 1 } }],
    },
  });
  const workflow = workflowFrom(every, { files: { 'child.yaml': child }, model, env: { ...process.env, MODEL: 'x' } });
  let result = await workflow.run({ topic: 'ends' }, { engine, runId: 'r' });
  for (const value of ['yes', 'green', 'red', '__skip__']) {
    const { gates, requests } = result.termination as Says;
    const id = gates?.[0]?.gateId ?? requests?.[0]?.id ?? '';
    result = await workflow.resume('r', { engine, answers: { [id]: { decision: 'value', value } } });
  }
  return result;
}

async function eventsOfEvery(): Promise<readonly ConductorLogEvent[]> {
  return conductorEvents(await (await runEvery()).journal());
}

describe('the event log of the reference', () => {
  it('has every event of every type of step with its data', async () => {
    const recorded = readFileSync(new URL('./every-step.events.jsonl', import.meta.url), 'utf8');
    const events = await eventsOfEvery();
    expect(events).toEqual(
      recorded
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ConductorLogEvent),
    );
  });

  it('reports the shape and the inputs of a workflow first, with variables as they are written', async () => {
    const [first] = await eventsOfEvery();
    expect(first).toMatchObject({
      type: 'workflow_started',
      data: {
        name: 'every',
        entry_point: 'think',
        inputs: { topic: 'ends', times: 2 },
        metadata: { team: 'core' },
        yaml_source: every,
        run_id: 'r',
      },
    });
    const agents = first?.data['agents'] as readonly JsonObject[];
    expect(agents[0]).toMatchObject({
      name: 'think',
      type: 'agent',
      model: expect.stringMatching(/^\$\{MODEL:-gpt-5\}$/),
      provider_name: 'openai',
    });
    expect(agents.find(({ name }) => name === 'below')).toMatchObject({ subworkflow: { name: 'child' } });
  });

  it('is reported for runs whose journal has no files, as far as possible', async () => {
    const journal = await (await runEvery()).journal();
    const bare = journal.map((entry) =>
      entry.type === 'run_started' ? ({ ...entry, data: { ...entry.data, input: null } } as JournalEntry) : entry,
    );
    const names = (events: readonly ConductorLogEvent[]): readonly string[] => events.map(({ type }) => type);
    expect(names(conductorEvents(bare))).toEqual(names(conductorEvents(journal)));
    expect(conductorEvents(bare)[0]?.data).toEqual({
      entry_point: 'think',
      inputs: { topic: 'ends', times: 2 },
      run_id: 'r',
    });
  });

  it('says what the last steps before a limit were, and whether they go round', async () => {
    const loop = `
workflow: {name: w, entry_point: a, limits: {max_iterations: 4}}
agents: [{name: a, type: set, value: "1", routes: [{to: a}]}]
`;
    const { engine } = world();
    const result = await workflowFrom(loop).run({}, { engine });
    const events = conductorEvents(await result.journal());
    expect(events.find(({ type }) => type === 'iteration_limit_reached')?.data).toEqual({
      agent_name: 'a',
      current_iteration: 4,
      max_iterations: 4,
      agent_history: ['a', 'a', 'a', 'a'],
      possible_loop: true,
      skip_gates: false,
    });
  });

  it('follows a dialog', async () => {
    const text = `
workflow: {name: w, entry_point: a}
agents: [{name: a, prompt: Say, dialog: {trigger_prompt: "when unsure"}}]
`;
    const model = scriptedModel({
      answers: {
        a: [{ text: 'maybe' }, { text: 'surely' }],
        'a (dialog)': [
          { output: { trigger: true, reason: 'r', question: 'Sure?' } },
          { text: 'Good [READY_TO_CONTINUE]' },
        ],
      },
    });
    const { engine } = world();
    const workflow = workflowFrom(text, { model });
    await workflow.run({}, { engine, runId: 'r' });
    const done = await workflow.resume('r', { engine, answers: { 'a.dialog': { decision: 'value', value: 'quite' } } });
    const dialog = conductorEvents(await done.journal()).filter(({ type }) => type.startsWith('dialog'));
    const who = { dialog_id: 'a.dialog', agent_name: 'a' };
    expect(dialog.map(({ type, data }) => [type, data])).toEqual([
      ['dialog_started', { ...who, opening_question: 'Sure?' }],
      ['dialog_message', { ...who, role: 'agent', content: 'Sure?' }],
      ['dialog_message', { ...who, role: 'user', content: 'quite' }],
      ['dialog_completed', { ...who, turn_count: 2 }],
    ]);
  });
});
