import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../termination/json.js';
import { compileCondition } from './condition.js';
import { valueFromJson } from './json-text.js';
import type { Scope } from './scope.js';
import { TemplateError } from './template-error.js';
import type { Value } from './value.js';

function scopeFrom(names: Readonly<Record<string, JsonValue>>): Scope {
  const values = new Map<string, Value>(Object.entries(names).map(([name, json]) => [name, valueFromJson(json)]));
  return { lookup: (name) => values.get(name) };
}

const scope = scopeFrom({
  workflow: { input: { level: 4 }, name: 'w' },
  context: { iteration: 2, history: ['a', 'my_step'] },
  a: { output: { score: 7, safe: false, none: null } },
  my_step: { output: { deep: { flag: true } } },
  group: { type: 'parallel', outputs: { m: 1 }, errors: {} },
  plain: 5,
  output: { score: 7, safe: true, errors: 0 },
});

function messageOf(source: string): string {
  try {
    compileCondition(source).evaluate(scope);
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the plain language', () => {
  it.each([
    ['score > 5', true],
    ['output_score == 7 and safe', true],
    ['a_output.score == 7', true],
    ["a_output['score'] == 7", true],
    ['my_step_output.deep.flag', true],
    ['workflow_input.level >= 4 and context_iteration == 2', true],
    ['group_type == "parallel" and errors == 0', true],
    ["context_history[1] == 'my_step'", true],
    ['plain == 5', true],
  ])('%s uses flattened names', (source, expected) => {
    expect(compileCondition(source).evaluate(scope)).toBe(expected);
  });

  it.each([
    ['not a.output.safe', true],
    ['a.output.score > 3', true],
    ['output.score == 7', true],
    ['workflow.input.level == 4', true],
    ["group['outputs'].m == 1", true],
    ['my_step.output.deep.flag and context.iteration == 2', true],
  ])('%s uses dotted names, which the reference refuses', (source, expected) => {
    expect(compileCondition(source).evaluate(scope)).toBe(expected);
  });

  it.each([
    ['ghost', "Unknown variable in expression: 'ghost' is not defined for expression 'ghost'"],
    ['a', "Unknown variable in expression: 'a' is not defined for expression 'a'"],
    ['ghost.output.x', "Unknown variable in expression: 'ghost' is not defined for expression 'ghost.output.x'"],
    ['score in [1]', "Failed to evaluate expression 'score in [1]': Sorry, List is not available in this evaluator"],
    ["'a' < 1", "Failed to evaluate expression ''a' < 1': '<' not supported between instances of 'str' and 'int'"],
    ['', "Failed to evaluate expression '': Sorry, cannot evaluate empty string"],
    ['{% if true %}', "Failed to evaluate expression '{% if true %}': invalid syntax (<unknown>, line 1)"],
    ["'a' * 999999", "Failed to evaluate expression ''a' * 999999': Sorry, I will not evaluate something that long."],
  ])('%j fails with the message of the reference', (source, message) => {
    expect(messageOf(source)).toBe(message);
  });

  it('locates a failure', () => {
    expect(() => compileCondition('score and\n ghost').evaluate(scope)).toThrow(TemplateError);
    try {
      compileCondition('score and (\n ghost)').evaluate(scope);
    } catch (error) {
      expect(error).toMatchObject({ reason: 'undefined', line: 2, column: 2 });
    }
  });

  it('draws chance from the seed', () => {
    const condition = compileCondition('rand() < 0.5');
    const draws = Array.from({ length: 40 }, (_, seed) => condition.evaluate(scope, { seed }));
    expect(draws).toContain(true);
    expect(draws).toContain(false);
    expect(draws).toEqual(Array.from({ length: 40 }, (_, seed) => condition.evaluate(scope, { seed })));
  });
});

describe('conditions with templates', () => {
  it.each([
    ['{{ a.output.score > 3 }}', true],
    ['{{ a.output.safe }}', false],
    [' {{ 0 }} ', false],
    ['{{ "No" }}', false],
    ['{{ "" }}', false],
    ['{{ none }}', true],
    ['{{ [] }}', true],
    ['{{ 0.0 }}', true],
    ['{{ "off" }}', true],
  ])('%s is %s', (source, expected) => {
    expect(compileCondition(source).evaluate(scope)).toBe(expected);
  });
});

it('lists the references of both languages', () => {
  const plain = compileCondition("a_output.score > int('3') and b.output.x").references;
  expect(plain.map(({ guarded, path, root }) => [root, path.join('.'), guarded])).toEqual([
    ['a_output', 'score', false],
    ['b', 'output.x', true],
  ]);
  expect(compileCondition('{{ c.output }}').references).toEqual([
    { root: 'c', path: ['output'], guarded: false, line: 1, column: 4 },
  ]);
});
