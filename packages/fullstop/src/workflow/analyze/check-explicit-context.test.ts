import { describe, expect, it } from 'vitest';
import { problemsOf, workflowOf } from '../load/load-text.fixture.js';

describe('explicit context mode', () => {
  const explicit = (step: string): string =>
    workflowOf('{name: first, type: set, value: x, routes: [{to: second}]}', step).replace(
      'name: w,',
      'name: w, context: {mode: explicit}, input: {topic: {type: string}},',
    );
  const warnings = (step: string): readonly string[] => problemsOf(explicit(step)).map(({ message }) => message);

  it('warns about outputs that a step does not declare', () => {
    expect(warnings('{name: second, prompt: "{{ first.output.x }}"}')).toEqual([
      "agent 'second' prompt references 'first.output' but agent 'second' does not declare 'first.output' in its input list (explicit context mode)",
    ]);
  });

  it('warns about fields that a step does not declare', () => {
    expect(warnings('{name: second, input: [first.output.y], prompt: "{{ first.output.x }}"}')).toEqual([
      expect.stringContaining('only declares first.output.y'),
    ]);
  });

  it('warns about inputs for agents, while programs see them all', () => {
    expect(warnings('{name: second, prompt: "{{ workflow.input.topic }}"}')).toHaveLength(1);
    expect(warnings('{name: second, type: script, command: "{{ workflow.input.topic }}"}')).toEqual([]);
  });

  it('lets routes, gates and output templates see everything', () => {
    expect(
      warnings(
        '{name: second, type: human_gate, prompt: "{{ first.output }}", options: [{label: x, value: x, route: $end}]}',
      ),
    ).toEqual([]);
    expect(
      warnings('{name: second, type: set, value: x, routes: [{to: $end, when: "{{ first.output }}"}, {to: $end}]}'),
    ).toEqual([]);
    expect(
      warnings(
        '{name: second, type: terminate, status: success, reason: x, output_template: {v: "{{ first.output }}"}}',
      ),
    ).toEqual([]);
    expect(warnings('{name: second, type: terminate, status: success, reason: "{{ first.output }}"}')).toHaveLength(1);
  });

  it('is content with what is declared', () => {
    const step =
      '{name: second, input: [first.output, workflow.input.topic], prompt: "{{ first.output.x }} {{ workflow.input.topic }}"}';
    expect(warnings(step)).toEqual([]);
  });
});
