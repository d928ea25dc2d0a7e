import { describe, expect, it } from 'vitest';
import { loadGood, loadText, problemsOf, workflowOf } from '../load/load-text.fixture.js';
import { builtInStepTypes } from '../steps/built-in-step-types.js';
import type { StepTypeName } from './document.js';
import type { Field } from './field.js';
import type { StepKeys } from './steps/step-shape.js';
import type { TerminateStep } from './steps/terminate.js';

const { fields } = builtInStepTypes;
const stepTypes = builtInStepTypes.names as readonly StepTypeName[];
const keysOf = (type: StepTypeName): StepKeys => builtInStepTypes.of({ type }).shape.keys;

const terminate = 'name: stop, type: terminate, status: failed, reason: because';

function terminateStep(extra = ''): TerminateStep {
  const [step] = loadGood(workflowOf(`{${terminate}${extra}}`)).document.agents;
  if (step?.type !== 'terminate') throw new Error('no terminate step');
  return step;
}

/** Something that the field takes, so that only its being there can be wrong. */
function sampleOf(field: Field): string {
  switch (field.type) {
    case 'integer':
    case 'number':
      return String(field.minimum ?? 1);
    case 'boolean':
      return 'true';
    case 'choice':
      return field.choices[0] as string;
    case 'duration':
      return '1s';
    case 'list':
      return `[${sampleOf(field.of)}]`;
    case 'map':
      return `{key: ${sampleOf(field.of)}}`;
    case 'record':
      return records[field.of] ?? '{}';
    default:
      return 'x';
  }
}

const records: Readonly<Record<string, string>> = {
  Dialog: '{trigger_prompt: x}',
  ErrorRoute: '{to: $end}',
  GateOption: '{label: x, value: x, route: $end}',
  OutputField: '{type: string}',
  Plugin: './x',
  Question: '{text: x}',
  Reasoning: '{effort: low}',
  Route: '{to: $end}',
  Validator: '{criteria: x}',
};

const minimal: Readonly<Record<StepTypeName, string>> = {
  agent: 'name: a',
  script: 'name: a, type: script, command: x',
  set: 'name: a, type: set, value: x',
  wait: 'name: a, type: wait, duration: 1s',
  human_gate: 'name: a, type: human_gate, prompt: x, options: [{label: x, value: x, route: $end}]',
  questions: 'name: a, type: questions, questions: [{text: x}]',
  workflow: 'name: a, type: workflow, workflow: child.yaml',
  terminate,
  pipeline: 'name: a, type: pipeline, use: "./m.mjs#p"',
  convergence: 'name: a, type: convergence, use: "./m.mjs#c"',
};
const files = { 'child.yaml': workflowOf('{name: c, type: set, value: x}'), 'm.mjs': '' };

describe('type: terminate', () => {
  it('takes a status and a reason', () => {
    expect(terminateStep()).toEqual({
      type: 'terminate',
      name: 'stop',
      status: 'failed',
      reason: 'because',
      input: [],
    });
  });

  it('takes an output template, also an empty one', () => {
    expect(terminateStep(', output_template: {a: "1"}').output_template).toEqual(new Map([['a', '1']]));
    expect(terminateStep(', output_template: {}').output_template).toEqual(new Map());
    expect(terminateStep(', output_template: null').output_template).toBeUndefined();
  });

  it('takes a status that is a template', () => {
    const text = workflowOf('{name: stop, type: terminate, status: "{{ workflow.input.status }}", reason: because}');
    expect(loadText(text).ok).toBe(true);
  });

  it('can be the entry point', () => {
    expect(loadGood(workflowOf(`{${terminate}}`)).document.workflow.entry_point).toBe('stop');
  });

  it.each([
    ['no status', '{name: stop, type: terminate, reason: because}', "terminate agents require 'status'"],
    [
      'a null status',
      '{name: stop, type: terminate, status: null, reason: because}',
      "terminate agents require 'status'",
    ],
    ['no reason', '{name: stop, type: terminate, status: failed}', "terminate agents require a non-empty 'reason'"],
    ['a blank reason', '{name: stop, type: terminate, status: failed, reason: "  "}', "require a non-empty 'reason'"],
    ['an unknown status', '{name: stop, type: terminate, status: succes, reason: x}', 'did you mean "success"?'],
    [
      'a boolean status',
      '{name: stop, type: terminate, status: true, reason: x}',
      'Expected one of "success", "failed"',
    ],
  ])('refuses %s', (_, step, message) => {
    expect(problemsOf(workflowOf(step)).map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  it('refuses an output template whose values are no texts', () => {
    const [problem] = problemsOf(workflowOf(`{${terminate}, output_template: {n: 1}}`));
    expect(problem).toMatchObject({ path: 'agents.0.output_template.n', code: 'WRONG_TYPE', stage: 'schema' });
  });

  const { required, optional } = keysOf('terminate');
  const own: readonly string[] = [...required, ...optional];
  it.each(Object.keys(fields).filter((key) => !own.includes(key)))('refuses %s', (key) => {
    const text = workflowOf(`{${terminate}, ${key}: ${sampleOf(fields[key] as Field)}}`);
    expect(problemsOf(text)).toEqual([
      expect.objectContaining({
        code: 'KEY_NOT_ALLOWED',
        path: `agents.0.${key}`,
        line: 3,
        column: text.split('\n')[2]!.indexOf(`, ${key}:`) + 3,
      }),
    ]);
  });

  it('accepts empty keys of other types, as the reference does', () => {
    expect(terminateStep(', routes: [], args: [], prompt: "", options: []').status).toBe('failed');
  });
});

describe('status, reason and output_template on other types', () => {
  const pairs = stepTypes
    .filter((type) => type !== 'terminate')
    .flatMap((type) => ['status', 'reason', 'output_template'].map((key) => [type, key] as const))
    .filter(([type, key]) => !(type === 'wait' && key === 'reason'));
  it.each(pairs)('%s refuses %s', (type, key) => {
    const text = workflowOf(`{${minimal[type]}, ${key}: ${sampleOf(fields[key] as Field)}}`);
    expect(problemsOf(text, { files })).toEqual([
      expect.objectContaining({
        code: 'KEY_NOT_ALLOWED',
        message: expect.stringContaining(`'${type}' agents cannot have '${key}'`),
        path: `agents.0.${key}`,
      }),
    ]);
  });

  it('a wait may have a reason', () => {
    expect(loadText(workflowOf('{name: a, type: wait, duration: 1s, reason: cooling down}')).ok).toBe(true);
  });
});

describe('every type of step', () => {
  const pairs = stepTypes.flatMap((type) => {
    const { required, optional, ignored } = keysOf(type);
    const known: readonly string[] = [...required, ...optional, ...ignored];
    return Object.keys(fields)
      .filter((key) => !known.includes(key))
      .map((key) => [type, key] as const);
  });
  it('loads with what it requires', () => {
    for (const type of stepTypes) expect(problemsOf(workflowOf(`{${minimal[type]}}`), { files })).toEqual([]);
  });

  it(`refuses the keys of other types (${pairs.length} pairs)`, () => {
    for (const [type, key] of pairs) {
      const text = workflowOf(`{${minimal[type]}, ${key}: ${sampleOf(fields[key] as Field)}}`);
      const codes = problemsOf(text, { files }).map((problem) => [problem.code, problem.path]);
      expect(codes, `${type} ${key}`).toContainEqual(['KEY_NOT_ALLOWED', `agents.0.${key}`]);
    }
  });

  it('warns about keys that do nothing', () => {
    for (const type of stepTypes) {
      for (const key of keysOf(type).ignored) {
        const text = workflowOf(`{${minimal[type]}, ${key}: ${sampleOf(fields[key] as Field)}}`);
        const [problem] = problemsOf(text, { files });
        expect(problem, `${type} ${key}`).toMatchObject({ code: 'KEY_WITHOUT_EFFECT', severity: 'warning' });
      }
    }
  });
});

describe('a terminate step in a group', () => {
  const parallel = [
    workflowOf('{name: a, type: set, value: x}', `{${terminate}}`).replace('entry_point: a', 'entry_point: g'),
    'parallel: [{name: g, agents: [a, stop]}]',
  ].join('\n');
  const forEach = [
    workflowOf('{name: a, type: set, value: "[1]"}').replace('entry_point: a', 'entry_point: g'),
    `for_each: [{name: g, type: for_each, source: a.output.x, as: item, agent: {${terminate}}}]`,
  ].join('\n');

  it.each([
    ['parallel', parallel],
    ['for_each', forEach],
  ])('is refused in %s, also when loading leniently', (_, text) => {
    for (const lenient of [false, true]) {
      expect(problemsOf(text, { lenient })).toEqual([
        expect.objectContaining({
          code: 'TERMINATE_IN_GROUP',
          severity: 'error',
          stage: 'schema',
          hint: 'Route to it from the group',
        }),
      ]);
    }
  });

  it('may be routed to from a group', () => {
    const text = [
      workflowOf('{name: a, type: set, value: x}', '{name: b, type: set, value: x}', `{${terminate}}`).replace(
        'entry_point: a',
        'entry_point: g',
      ),
      'parallel: [{name: g, agents: [a, b], routes: [{to: stop}]}]',
    ].join('\n');
    expect(problemsOf(text)).toEqual([]);
  });
});
