import { describe, expect, it } from 'vitest';
import type { RequestAnswer } from '../engines/port/request.js';
import type { JsonObject } from '../termination/json.js';
import { conductorEvents } from './conductor-events.js';
import { workflowFrom, world } from './workflow.fixture.js';

const gate = `
workflow: {name: w, entry_point: ask}
agents:
  - name: ask
    type: human_gate
    prompt: "Ship it?"
    options:
      - {label: Ship, value: ship, route: shipped}
      - {label: Hold, value: hold, route: $end, prompt_for: why}
  - {name: shipped, type: set, value: "yes"}
output: {selected: "{{ ask.output.selected }}", why: "{{ ask.output.additional_input.why | default('-') }}"}
`;

describe('gates', () => {
  it('pause the run and go where the answer leads', async () => {
    const { engine } = world();
    const workflow = workflowFrom(gate);
    const paused = await workflow.run({}, { engine, runId: 'r' });
    expect(paused.termination).toEqual({
      kind: 'gate_pending',
      gates: [
        {
          gateId: 'ask',
          path: 'ask',
          summary: 'Ship it?',
          options: [
            { value: 'ship', label: 'Ship' },
            { value: 'hold', label: 'Hold' },
          ],
        },
      ],
    });
    const value = { selected: 'hold', additional_input: { why: 'friday' } };
    const done = await workflow.resume('r', { engine, answers: { ask: { decision: 'value', value } } });
    expect(done.termination).toEqual({ kind: 'flow_completed', last: 'ask' });
    expect(done.output).toEqual({ selected: 'hold', why: 'friday' });
    const resolved = conductorEvents(await done.journal()).find(({ type }) => type === 'gate_resolved');
    expect(resolved?.data).toMatchObject({
      selected_option: 'hold',
      additional_input: { why: 'friday' },
      route: '$end',
    });
  });

  it('refuse an answer that is none of the options, and take its value or its label', async () => {
    const { engine } = world();
    const workflow = workflowFrom(gate);
    await workflow.run({}, { engine, runId: 'r' });
    await expect(
      workflow.resume('r', { engine, answers: { ask: { decision: 'value', value: 'maybe' } } }),
    ).rejects.toMatchObject({ code: 'INVALID_ANSWER', message: expect.stringContaining('one of "ship", "hold"') });
    const done = await workflow.resume('r', { engine, answers: { ask: { decision: 'value', value: 'Ship' } } });
    expect(done.history).toEqual(['ask', 'shipped']);
  });

  it('say who may answer', async () => {
    const { engine } = world();
    const named = gate.replace('prompt: "Ship it?"', 'prompt: "Ship it?"\n    answerers: [maria, jo]');
    await workflowFrom(named).run({}, { engine, runId: 'r' });
    expect(await engine.openRequests('r')).toMatchObject([{ id: 'ask', answerers: ['maria', 'jo'] }]);
  });

  it('ask about each item of a list, in any order, while others are open', async () => {
    const { engine } = world();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: each, context: {mode: explicit}, input: {files: {type: array, default: [a, b, c]}}}
agents: [{name: done, type: set, value: "{{ each.outputs | map(attribute='selected') | join(' ') }}", input: [each.outputs]}]
for_each:
  - name: each
    type: for_each
    source: workflow.input.files
    as: file
    max_concurrent: 1
    agent: {name: ask, type: human_gate, prompt: "Delete {{ file }} ({{ _index }})?", options: [{label: Yes, value: yes, route: $end}, {label: No, value: no, route: $end}]}
    routes: [{to: done}]
output: {said: "{{ done.output }}"}
`);
    const paused = await workflow.run({}, { engine, runId: 'r' });
    expect(paused.termination).toMatchObject({
      kind: 'gate_pending',
      gates: [
        { gateId: 'each[0]', summary: 'Delete a (0)?' },
        { gateId: 'each[1]', summary: 'Delete b (1)?' },
        { gateId: 'each[2]', summary: 'Delete c (2)?' },
      ],
    });
    const say = (value: string) => ({ decision: 'value', value }) as const;
    const left = await workflow.resume('r', { engine, answers: { 'each[2]': say('no') } });
    expect(left.termination).toMatchObject({ gates: [{ gateId: 'each[0]' }, { gateId: 'each[1]' }] });
    const done = await workflow.resume('r', { engine, answers: { 'each[0]': say('yes'), 'each[1]': say('Yes') } });
    expect(done.termination.kind).toBe('flow_completed');
    expect(done.output).toEqual({ said: 'yes yes no' });
  });

  it('expire at their deadline, which an error route can take', async () => {
    const { engine, clock } = world();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: ask}
agents:
  - name: ask
    type: human_gate
    prompt: "Ship it?"
    deadline: 2h
    options: [{label: Ship, value: ship, route: $end}]
    on_error: [{kind: gate_expired, to: late}]
  - {name: late, type: set, value: "late"}
output: {v: "{{ late.output }}"}
`);
    await workflow.run({}, { engine, runId: 'r' });
    await clock.advance(3 * 3_600_000);
    const done = await workflow.resume('r', { engine });
    expect(done.termination).toEqual({ kind: 'flow_completed', last: 'late' });
    expect(done.output).toEqual({ v: 'late' });
  });

  it.each([
    'human_gate, prompt: Ship it?, options: [{label: Ship, value: ship, route: $end}]',
    'questions, questions: [{id: q, text: Why?}]',
  ])('may have days for their answer: %s', async (step) => {
    const { engine, clock } = world();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: ask}
agents:
  - {name: ask, deadline: 72h, type: ${step}}
`);
    await workflow.run({}, { engine, runId: 'r' });
    await clock.advance(71 * 3_600_000);
    expect((await workflow.resume('r', { engine })).category).toBe('paused');
    await clock.advance(2 * 3_600_000);
    const late = await workflow.resume('r', { engine });
    expect(late.termination).toMatchObject({ kind: 'child_failed', termination: { kind: 'gate_expired' } });
  });
});

const questions = `
workflow: {name: w, entry_point: ask}
agents:
  - name: ask
    type: questions
    questions:
      - {id: colour, text: "Colour?", choices: [red, blue], allow_free_text: false}
      - {id: size, text: "Size?", required: true}
      - {id: note, text: "Note?", default: none}
output: {v: "{{ ask.output | json(indent=none) }}"}
`;

describe('questions', () => {
  it('are asked one after the other, again where an answer does not do', async () => {
    const { engine } = world();
    const workflow = workflowFrom(questions);
    const say = (id: string, value: string): Promise<Awaited<ReturnType<typeof workflow.run>>> =>
      workflow.resume('r', { engine, answers: { [id]: { decision: 'value', value } } });
    const first = await workflow.run({}, { engine, runId: 'r' });
    expect(first.termination).toMatchObject({
      kind: 'interaction_pending',
      requests: [{ id: 'ask.colour', type: 'input' }],
    });
    expect((await say('ask.colour', 'green')).termination).toMatchObject({ requests: [{ id: 'ask.colour~1' }] });
    expect((await say('ask.colour~1', 'blue')).termination).toMatchObject({ requests: [{ id: 'ask.size~2' }] });
    expect((await say('ask.size~2', '__skip__')).termination).toMatchObject({ requests: [{ id: 'ask.size~3' }] });
    expect((await say('ask.size~3', 'large')).termination).toMatchObject({ requests: [{ id: 'ask.note~4' }] });
    const done = await say('ask.note~4', '__skip__');
    expect((done.output as { v: unknown }).v).toMatchObject({
      answers: { colour: 'blue', size: 'large', note: 'none' },
      answered_count: 3,
      skipped_count: 0,
      outcome: 'completed',
      transcript: 'Q1. Colour?\nA: blue\n\nQ2. Size?\nA: large\n\nQ3. Note?\nA: none',
    });
  });

  it('go back, skip the rest, and lead to the abort route', async () => {
    const { engine } = world();
    const text = `
workflow: {name: w, entry_point: ask}
agents:
  - name: ask
    type: questions
    allow_abort: true
    abort_route: gone
    questions: [{id: a, text: "A?"}, {id: b, text: "B?"}]
  - {name: gone, type: set, value: gone}
output: {v: "{{ ask.output.outcome }} {{ ask.output.answers | json(indent=none) }} {{ gone.output | default('') }}"}
`;
    const run = async (runId: string, words: readonly string[]): Promise<unknown> => {
      const workflow = workflowFrom(text);
      let result = await workflow.run({}, { engine, runId });
      for (const value of words) {
        const { requests } = result.termination as unknown as { requests: readonly { id: string }[] };
        const id = requests[0]?.id as string;
        result = await workflow.resume(runId, { engine, answers: { [id]: { decision: 'value', value } } });
      }
      return result.output;
    };
    expect(await run('back', ['1', '__back__', '2', '3'])).toEqual({ v: 'completed {"a": "2", "b": "3"} ' });
    expect(await run('skip', ['1', '__skip_all__'])).toEqual({ v: 'skipped_remaining {"a": "1"} ' });
    expect(await run('abort', ['1', '__abort__'])).toEqual({ v: 'aborted {"a": "1"} gone' });
  });
});

describe('the text that a choice of a gate asks for', () => {
  const text = `
workflow: {name: w, entry_point: g}
agents:
  - name: g
    type: human_gate
    prompt: "Sure?"
    options: [{label: Yes, value: y, route: $end}, {label: "No", value: n, route: $end, prompt_for: why}]
output: {v: "{{ g.output.additional_input | json(indent=none) }}"}
`;
  const silent = text.replace(', prompt_for: why', '');
  const answer = (selected: string, additional: JsonObject): Record<string, RequestAnswer> => ({
    g: { decision: 'value', value: { selected, additional_input: additional } },
  });

  it.each([
    [
      'a misspelt name',
      text,
      answer('n', { wyh: 'typo' }),
      'it has a text for "wyh". The choice "n" asks for "why" alone.',
    ],
    ['one beside it', text, answer('No', { why: 'late', by: 'me' }), 'it has a text for "by". The choice "n" asks for'],
    [
      'that of another choice',
      text,
      answer('y', { why: 'x' }),
      'it has a text for "why". The choice "y" asks for no text.',
    ],
    ['one at a gate without any', silent, answer('n', { why: 'x' }), 'The choice "n" asks for no text.'],
  ])('is refused under %s, and the gate stays open', async (_what, file, answers, why) => {
    const { engine } = world();
    const workflow = workflowFrom(file);
    await workflow.run({}, { engine, runId: 'r' });
    await expect(workflow.resume('r', { engine, answers })).rejects.toMatchObject({
      code: 'INVALID_ANSWER',
      message: expect.stringContaining(why),
    });
    await expect(engine.answer('r', 'g', answers['g'] as RequestAnswer)).rejects.toThrow(why);
    expect(await engine.openRequests('r')).toMatchObject([{ id: 'g' }]);
    const done = await workflow.resume('r', { engine, answers: { g: { decision: 'value', value: 'y' } } });
    expect(done.output).toEqual({ v: {} });
  });

  it.each([
    ['given', answer('n', { why: 'late' }), { why: 'late' }],
    ['left out, as the reference allows', answer('n', {}), {}],
  ])('may be %s', async (_what, answers, v) => {
    const { engine } = world();
    const workflow = workflowFrom(text);
    await workflow.run({}, { engine, runId: 'r' });
    expect((await workflow.resume('r', { engine, answers })).output).toEqual({ v });
  });
});

describe('a question that needs an answer', () => {
  it('is asked even where the rest is skipped, until it is answered', async () => {
    const { engine } = world();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: ask}
agents:
  - name: ask
    type: questions
    questions:
      - {id: a, text: "A?"}
      - {id: b, text: "B?", default: usual}
      - {id: c, text: "C?", required: true}
      - {id: d, text: "D?"}
output: {v: "{{ ask.output | json(indent=none) }}"}
`);
    let result = await workflow.run({}, { engine, runId: 'r' });
    const asked: string[] = [];
    for (const value of ['__skip_all__', '__skip_all__', '', '__skip__', 'c1']) {
      const [request] = await engine.openRequests('r');
      asked.push(`${request?.id}: ${request?.summary}`);
      result = await workflow.resume('r', {
        engine,
        answers: { [request?.id as string]: { decision: 'value', value } },
      });
    }
    const needed = 'This question needs an answer.';
    expect(asked).toEqual(['ask.a: A?', 'ask.c~3: C?', ...[4, 5, 6].map((turn) => `ask.c~${turn}: ${needed}\n\nC?`)]);
    expect((result.output as { v: unknown }).v).toMatchObject({
      answers: { b: 'usual', c: 'c1' },
      outcome: 'skipped_remaining',
      skipped_count: 2,
    });
  });

  it('offers to skip all only where that skips something, and going back takes it back', async () => {
    const { engine } = world();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: ask}
agents: [{name: ask, type: questions, questions: [{id: a, text: "A?"}, {id: b, text: "B?", required: true}]}]
output: {v: "{{ ask.output.outcome }} {{ ask.output.answers | json(indent=none) }}"}
`);
    let result = await workflow.run({}, { engine, runId: 'r' });
    const offered: (string | undefined)[][] = [];
    for (const value of ['__skip_all__', '__back__', 'a1', 'b1']) {
      const [request] = await engine.openRequests('r');
      offered.push((request?.options ?? []).map(({ label }) => label));
      result = await workflow.resume('r', {
        engine,
        answers: { [request?.id as string]: { decision: 'value', value } },
      });
    }
    expect(offered).toEqual([['Skip', 'Skip all'], ['Back'], ['Skip', 'Skip all'], ['Back']]);
    expect(result.output).toEqual({ v: 'completed {"a": "a1", "b": "b1"}' });
  });

  it('offers no way to skip it, and says why it is asked again', async () => {
    const { engine } = world();
    const workflow = workflowFrom(`
workflow: {name: w, entry_point: ask}
agents:
  - {name: ask, type: questions, questions: [{id: size, text: "Which size?", choices: [s, l], required: true, allow_free_text: false}]}
`);
    await workflow.run({}, { engine, runId: 'r' });
    const answers = { 'ask.size': { decision: 'value', value: 'xxl' } } as const;
    await workflow.resume('r', { engine, answers });
    const [again] = await engine.openRequests('r');
    expect(again?.summary).toBe('Please choose one of s, l; "xxl" is none of them.\n\nWhich size?');
    expect(again?.options?.map(({ value }) => value)).not.toContain('__skip__');
  });
});
