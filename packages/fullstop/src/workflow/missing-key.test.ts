import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { runText, workflowFrom, world } from './workflow.fixture.js';

const maybe = (more = ''): string => `
workflow: {name: w, entry_point: first, runtime: {provider: claude, default_model: claude-x}, input: {write: {type: boolean}}}
agents:
  - {name: first, type: set, value: "1", routes: [{to: writer, when: "workflow.input.write"}, {to: $end}]}
  - {name: writer, prompt: Write something${more}}
output: {v: "{{ writer.output.result }}"}
`;
const message = 'There is no key for anthropic: set ANTHROPIC_API_KEY, or pass apiKey.';
const inputs = { write: true };

describe('a key that is missing when its step is reached', () => {
  it('ends the step as one that is refused, and the run continues once it is there', async () => {
    const { engine } = world();
    const stopped = await runText(maybe(), { inputs, run: { engine, runId: 'r' } });
    expect(stopped.termination).toMatchObject({
      kind: 'child_failed',
      child: { name: 'writer' },
      termination: { kind: 'provider_auth', provider: 'anthropic', message },
    });
    expect(stopped.termination).not.toHaveProperty('termination.status');
    const model = scriptedModel([{ text: 'written' }]);
    expect((await workflowFrom(maybe(), { model }).resume('r', { engine })).output).toEqual({ v: 'written' });
  });

  it('is met by the routes of an error that are for refused keys', async () => {
    const text = `
workflow: {name: w, entry_point: first, runtime: {provider: claude, default_model: claude-x}, input: {write: {type: boolean}}}
agents:
  - {name: first, type: set, value: "1", routes: [{to: writer, when: "workflow.input.write"}, {to: $end}]}
  - {name: writer, prompt: Write something, on_error: [{kind: provider_auth, to: rescue}]}
  - {name: rescue, type: set, value: "2"}
output: {v: "{{ rescue.output }}"}
`;
    expect(await runText(text, { inputs })).toMatchObject({
      termination: { kind: 'flow_completed' },
      output: { v: 2 },
    });
  });

  it('ends a step so whose validator needs it, which has cost something by then', async () => {
    const model = scriptedModel([{ text: 'written', usage: { inputTokens: 10, outputTokens: 5 } }]);
    const text = maybe(', validator: {model: claude-y, criteria: is short}');
    const result = await runText(text, {
      inputs,
      models: { 'claude/claude-x': { ...model, provider: 'other' } as never },
    });
    expect(result.termination).toMatchObject({ termination: { kind: 'provider_auth', message } });
    expect(result.usage.totalTokens).toBe(15);
  });
});
