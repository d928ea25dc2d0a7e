import fc from 'fast-check';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { type ScriptedModel, scriptedModel } from '../models/scripted/scripted-model.js';

/** A small workflow at random, as the text of its file, with what its models answer. */
export interface RandomWorkflow {
  readonly text: string;
  /** Its sub-workflow. */
  readonly files: Readonly<Record<string, string>>;
  readonly answers: readonly ScriptAnswer[];
  readonly skipGates: boolean;
}

const stepNames = ['s0', 's1', 's2', 's3', 's4'] as const;
const groupNames = ['p', 'e'] as const;
const target = fc.constantFrom(...stepNames, ...groupNames, '$end');
const condition = fc.constantFrom('{{ true }}', '{{ false }}', '{{ ghost }}', '1 == 1', '0 > 1', 'nope', 'output');

const route = fc.record({ to: target, when: fc.option(condition, { nil: undefined }) });
const errorRoute = fc.record({
  to: target,
  kind: fc.option(fc.constantFrom('failed', 'child_failed', 'provider_failed', 'gate_expired'), { nil: undefined }),
});

const routes = fc.array(route, { maxLength: 3 });
const errorRoutes = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(errorRoute, { maxLength: 2 }));
const status = fc.constantFrom('success', 'failed', "{{ 'failed' }}", '{{ ghost }}');
const template = fc.constantFrom('1', 'x', '[1, 2]', '{n: 1}', '{{ ghost }}', '{{ s0.output }}', '{{ 1 // 0 }}');

const kinds = {
  set: fc.record({ type: fc.constant('set'), value: template, routes, on_error: errorRoutes }),
  script: fc.record({
    type: fc.constant('script'),
    command: fc.constantFrom('true', 'false', 'no-such-program-here', '{{ ghost }}'),
    routes,
    on_error: errorRoutes,
  }),
  agent: fc.record({
    type: fc.constant('agent'),
    prompt: fc.constantFrom('go', '{{ ghost }}'),
    retry: fc.constant({ max_attempts: 1 }),
    output: fc.option(fc.constant({ n: { type: 'number' } }), { nil: undefined }),
    routes,
    on_error: errorRoutes,
  }),
  wait: fc.record({
    type: fc.constant('wait'),
    duration: fc.constantFrom('1ms', '1h', '{{ ghost }}', '{{ 0 }}'),
    routes,
    on_error: errorRoutes,
  }),
  terminate: fc.record({ type: fc.constant('terminate'), status, reason: fc.constantFrom('r', '{{ ghost }}') }),
  gate: fc.record({
    type: fc.constant('human_gate'),
    prompt: fc.constantFrom('?', '{{ ghost }}'),
    options: fc.array(
      target.map((to) => ({ label: to, value: to, route: to })),
      { minLength: 1, maxLength: 2 },
    ),
    deadline: fc.option(fc.constant('1h'), { nil: undefined }),
    on_error: errorRoutes,
  }),
  questions: fc.record({
    type: fc.constant('questions'),
    questions: fc.constant([{ text: 'q?' }]),
    routes,
    on_error: errorRoutes,
  }),
  workflow: fc.record({
    type: fc.constant('workflow'),
    workflow: fc.constant('child.yaml'),
    input_mapping: fc.option(fc.constantFrom({ n: '1' }, { n: '{{ ghost }}' }), { nil: undefined }),
    routes,
    on_error: errorRoutes,
  }),
} as const;

/** A sub-workflow of three steps. */
const childText = fc
  .record({
    first: fc.oneof(kinds.set, kinds.script, kinds.agent, kinds.gate, kinds.terminate),
    limit: fc.integer({ min: 1, max: 3 }),
    next: fc.constantFrom('y', 'z', '$end'),
    status,
  })
  .map(({ first, limit, next, status: end }) => {
    const lead = first.type === 'terminate' ? {} : { routes: [{ to: next }] };
    const options = first.type === 'human_gate' ? { options: [{ label: 'o', value: 'o', route: next }] } : {};
    const { routes: _routes, on_error: _onError, ...fields } = first as { routes?: unknown; on_error?: unknown };
    return JSON.stringify({
      workflow: {
        name: 'child',
        entry_point: 'x',
        input: { n: { type: 'number', default: 1 } },
        limits: { max_iterations: limit },
      },
      agents: [
        { name: 'x', ...fields, ...(first.type === 'human_gate' ? options : lead) },
        { name: 'y', type: 'terminate', status: end, reason: 'child' },
        { name: 'z', type: 'set', value: '{{ workflow.input.n }}' },
      ],
      output: { c: 'x' },
    });
  });

const step = fc.oneof(...Object.values(kinds));
const mode = fc.constantFrom('fail_fast', 'continue_on_error', 'all_or_nothing');
const inline = fc.oneof(kinds.set, kinds.script, kinds.agent, kinds.wait, kinds.gate, kinds.workflow);

const answer: fc.Arbitrary<ScriptAnswer> = fc.constantFrom<ScriptAnswer>(
  { text: 'words' },
  { output: { n: 1 } },
  { output: { n: 'x' } },
  { error: { status: 503 } },
  { error: 'auth' },
  { error: 'length', text: 'cut' },
  { error: 'filter', text: 'no' },
);

/** A member of a group leads nowhere by itself. */
function alone(fields: object, name: string): object {
  const { routes: _routes, on_error: _onError, ...rest } = fields as { routes?: unknown; on_error?: unknown };
  return { name, ...rest };
}

export const randomWorkflow: fc.Arbitrary<RandomWorkflow> = fc
  .record({
    steps: fc.array(step, { minLength: stepNames.length, maxLength: stepNames.length }),
    entry: fc.constantFrom(...stepNames, ...groupNames),
    maxIterations: fc.integer({ min: 1, max: 8 }),
    timeout: fc.option(fc.constant(60), { nil: undefined }),
    members: fc.array(inline, { minLength: 2, maxLength: 2 }),
    parallel: fc.record({ failure_mode: mode, routes, on_error: errorRoutes }),
    each: fc.record({
      failure_mode: mode,
      source: fc.constantFrom('s0.output.xs', 'workflow.input.items'),
      agent: inline,
      routes,
      on_error: errorRoutes,
    }),
    output: fc.constantFrom({}, { v: 'x' }, { v: '{{ ghost }}' }),
    answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
    skipGates: fc.boolean(),
    child: childText,
  })
  .map(({ steps, members, entry, maxIterations, timeout, parallel, each, output, answers, skipGates, child }) => {
    const items = { items: { type: 'array', default: [1, 2] } };
    const limits = { max_iterations: maxIterations, timeout_seconds: timeout };
    const document = {
      workflow: { name: 'random', entry_point: entry, input: items, limits },
      agents: [
        ...steps.map((fields, index) => ({ name: stepNames[index], ...fields })),
        ...members.map((fields, index) => alone(fields, `m${index}`)),
      ],
      parallel: [{ name: 'p', agents: ['m0', 'm1'], ...parallel }],
      for_each: [{ name: 'e', type: 'for_each', as: 'it', ...each, agent: alone(each.agent, 'i') }],
      output,
    };
    // JSON is YAML, and members that are undefined are left out.
    return { text: JSON.stringify(document), files: { 'child.yaml': child }, answers, skipGates };
  });

/** A model that answers every step in its own way, whoever asks first. */
export function modelOf({ answers }: RandomWorkflow): ScriptedModel {
  return scriptedModel(({ agent }) => answers[agent.charCodeAt(agent.length - 1) % answers.length] as ScriptAnswer);
}
