import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { workflowFrom, world } from './workflow.fixture.js';

const questions = `
workflow: {name: w, entry_point: ask}
agents:
  - name: ask
    type: questions
    questions: [{id: a, text: "A?"}, {id: b, text: "B?", required: true}, {id: c, text: "C?", default: usual}]
    routes: [{to: after}]
  - {name: after, type: human_gate, prompt: "And?", options: [{label: Yes, value: y, route: $end}]}
output: {v: "{{ ask.output.answers | json(indent=none) }} {{ ask.output.outcome }} {{ after.output.selected }}"}
`;

describe('a resume that skips gates', () => {
  it.each(['a', 'b'])('passes by questions that wait at %s, those too that need an answer', async (at) => {
    const { engine } = world();
    const workflow = workflowFrom(questions);
    await workflow.run({}, { engine, runId: 'r' });
    const answers = { 'ask.a': { decision: 'value', value: 'said' } } as const;
    if (at === 'b') await workflow.resume('r', { engine, answers });
    expect((await engine.openRequests('r')).map(({ id }) => id)).toEqual([`ask.${at}`]);
    const done = await workflow.resume('r', { engine, skipGates: true });
    const kept = at === 'b' ? '"a": "said", ' : '';
    expect(done.output).toEqual({ v: `{${kept}"c": "usual"} skipped_remaining y` });
    const direct = await workflowFrom(questions).run({}, { engine, runId: 'd', skipGates: true });
    expect(direct.output).toEqual({ v: '{"c": "usual"} skipped_remaining y' });
  });

  it('does so in a sub-workflow', async () => {
    const { engine } = world();
    const text = `
workflow: {name: p, entry_point: c}
agents: [{name: c, type: workflow, workflow: child.yaml}]
output: {v: "{{ c.output.v }}"}
`;
    const workflow = workflowFrom(text, { files: { 'child.yaml': questions } });
    await workflow.run({}, { engine, runId: 'r' });
    const done = await workflow.resume('r', { engine, skipGates: true });
    expect(done.output).toEqual({ v: '{"c": "usual"} skipped_remaining y' });
  });

  it('ends a conversation about an output, which stays as it is', async () => {
    const { engine } = world();
    const model = scriptedModel({
      answers: {
        one: [{ text: 'first' }],
        'one (dialog)': [{ output: { trigger: true, reason: 'unclear', question: 'Which city?' } }],
      },
    });
    const workflow = workflowFrom(
      `
workflow: {name: w, entry_point: one}
agents: [{name: one, prompt: Say, dialog: {trigger_prompt: "always"}}]
output: {v: "{{ one.output.result }}"}
`,
      { model },
    );
    expect((await workflow.run({}, { engine, runId: 'r' })).termination.kind).toBe('interaction_pending');
    const done = await workflow.resume('r', { engine, skipGates: true });
    expect(done).toMatchObject({ termination: { kind: 'flow_completed' }, output: { v: 'first' } });
  });

  it('leaves a gate to its deadline when that has passed, as any resume does', async () => {
    const text = `
workflow: {name: w, entry_point: g}
agents:
  - name: g
    type: human_gate
    prompt: "Sure?"
    deadline: 2s
    options: [{label: Yes, value: y, route: $end}]
    on_error: [{kind: gate_expired, to: later}]
  - {name: later, type: human_gate, prompt: "Now?", options: [{label: Yes, value: late, route: $end}]}
output: {v: "{{ later.output.selected }}"}
`;
    const { engine, clock } = world();
    const workflow = workflowFrom(text);
    expect((await workflow.run({}, { engine, runId: 'r' })).termination.kind).toBe('gate_pending');
    await clock.advance(2500);
    const done = await workflow.resume('r', { engine, skipGates: true });
    expect(done).toMatchObject({ termination: { kind: 'flow_completed' }, output: { v: 'late' } });
  });
});
