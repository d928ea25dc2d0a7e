import { join } from 'node:path';
import { type ScriptAnswer, scriptedModel } from 'fullstop/testing';
import { loadWorkflow } from 'fullstop/workflow';
import { prices, type Scenario, type Stage, usageOf } from './scenario.js';

/** The workflow files of the folder that the store belongs to. */
export const workflowFiles: Readonly<Record<string, string>> = {
  'triage.yaml': `# Decides whether a customer gets their money back.
workflow:
  name: triage
  description: Decides whether a customer gets their money back.
  entry_point: classify
  runtime: { provider: openai, default_model: gpt-5-mini }
  input:
    ticket: { type: string, required: true, description: The number of the ticket. }
    age_days: { type: number, default: 12, description: How old the order is. }
  limits: { max_iterations: 10 }
  cost: { pricing: { gpt-5-mini: { input_per_mtok: 2, output_per_mtok: 8 } } }
agents:
  - name: classify
    prompt: What does the customer want in ticket {{ workflow.input.ticket }}?
    output: { intent: { type: string, enum: [refund, question] } }
    routes:
      - { when: "classify.output.intent == 'refund'", to: order }
      - { to: $end }
  - name: order
    type: set
    values: { age_days: "{{ workflow.input.age_days }}" }
    routes:
      - { when: "{{ workflow.input.age_days > 90 }}", to: refuse }
      - { to: pay_back }
  - name: refuse
    type: terminate
    status: failed
    reason: "order is {{ workflow.input.age_days }} days old, refunds end after 90"
    output_template: { refunded: "false" }
  - { name: pay_back, type: set, value: "ticket {{ workflow.input.ticket }}: paid back" }
output: { refunded: "{{ pay_back is defined }}" }
`,
  'release.yaml': `# A person decides whether a version is released.
workflow:
  name: release
  description: Releases a version after someone approved it.
  entry_point: prepare
  input:
    version: { type: string, default: "2.4" }
    changes: { type: number, default: 3 }
    dry_run: { type: boolean, default: false }
agents:
  - name: prepare
    type: set
    values: { version: "{{ workflow.input.version }}", changes: "{{ workflow.input.changes }}" }
    routes: [{ to: approval }]
  - name: approval
    type: human_gate
    prompt: "Release {{ prepare.output.version }} with {{ prepare.output.changes }} changes?"
    deadline: 24h
    options:
      - { label: Release it, value: approved, route: release }
      - { label: Not now, value: rejected, route: stop, prompt_for: why }
    on_error: [{ kind: gate_expired, to: too_late }]
  - { name: release, type: set, value: "released {{ prepare.output.version }}" }
  - { name: stop, type: terminate, status: failed, reason: "Rejected: {{ approval.output.additional_input.why | default('no reason given') }}", output_template: {} }
  - { name: too_late, type: terminate, status: failed, reason: Nobody decided in time., output_template: {} }
output: { result: "{{ release.output }}" }
`,
  'crawl.yaml': `# Counts pages until it has enough of them; the limit comes first.
workflow:
  name: crawl
  description: Counts pages until there are enough of them.
  entry_point: page
  input: { pages: { type: number, default: 8 } }
  limits: { max_iterations: 5 }
agents:
  - name: page
    type: set
    value: "{{ context.iteration }}"
    routes:
      - { to: $end, when: "{{ context.iteration >= workflow.input.pages }}" }
      - { to: page }
output: { counted: "{{ page.output }}" }
`,
  'questions.yaml': `# Two questions to a person.
workflow:
  name: onboarding
  description: Asks what has to be known before a project begins.
  entry_point: basics
agents:
  - name: basics
    type: questions
    prompt: Two short questions about your project.
    deadline: 72h
    questions:
      - { id: name, text: What is the project called?, required: true }
      - { id: size, text: How large is the team?, choices: [alone, up to 10, more], allow_free_text: false }
output: { name: "{{ basics.output.answers.name }}" }
`,
};

function run(
  stage: Stage,
  file: keyof typeof workflowFiles,
  inputs: Readonly<Record<string, string | number>>,
  answers: readonly ScriptAnswer[] = [],
): Promise<unknown> {
  const { engine, clock, runId, folder } = stage;
  const paced = answers.map((answer) => ({ usage: usageOf(stage), delay: '2s', ...answer }));
  const workflow = loadWorkflow(join(folder, file), {
    ...(answers.length > 0 && { model: scriptedModel(paced, { clock, modelId: 'gpt-5-mini' }) }),
    prices,
    env: {},
  });
  return workflow.run(inputs, { engine, clock, runId });
}

const ticketOf = (stage: Stage): string => String(4700 + stage.below(90));

export const workflowScenarios: readonly Scenario[] = [
  {
    name: 'triage: paid back',
    weight: 24,
    perform: (stage) =>
      run(stage, 'triage.yaml', { ticket: ticketOf(stage), age_days: 3 + stage.below(80) }, [
        { output: { intent: 'refund' } },
      ]),
  },
  {
    name: 'triage: refused by a terminate step',
    weight: 6,
    perform: (stage) =>
      run(stage, 'triage.yaml', { ticket: ticketOf(stage), age_days: 91 + stage.below(60) }, [
        { output: { intent: 'refund' } },
      ]),
  },
  {
    name: 'release: waits for a person',
    weight: 2,
    perform: (stage) => run(stage, 'release.yaml', { version: `2.${stage.below(9)}`, changes: 1 + stage.below(14) }),
  },
  { name: 'crawl: the limit', weight: 7, perform: (stage) => run(stage, 'crawl.yaml', { pages: 8 + stage.below(6) }) },
  { name: 'crawl: done', weight: 10, perform: (stage) => run(stage, 'crawl.yaml', { pages: 3 }) },
  { name: 'onboarding: waits for answers', weight: 1, perform: (stage) => run(stage, 'questions.yaml', {}) },
];
