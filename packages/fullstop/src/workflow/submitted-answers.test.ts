import { describe, expect, it } from 'vitest';
import { halt, submit } from '../agent/options/directive.js';
import { submitTool } from '../agent/tools/submit-tool.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import type { JsonValue } from '../termination/json.js';
import { rootCause } from '../termination/root-cause.js';
import { runText } from './workflow.fixture.js';

const one = (more = '', settings = ''): string => `
workflow: {name: w, entry_point: m${settings}}
tools: [hand]
agents: [{name: m, prompt: "go"${more}}]
output: {v: "{{ m.output | json }}"}
`;

const handing = (value: JsonValue): { inputSchema: object; execute: () => unknown } => ({
  inputSchema: { type: 'object' },
  execute: () => submit(value),
});

const hands = [{ text: 'Here it is.', toolCalls: [{ tool: 'hand', input: {} }] }];

describe('what the agent of a step submits', () => {
  it.each([
    ['an object', { score: 7 }, { score: 7 }],
    ['a list', [1, 2], { result: [1, 2] }],
    ['a number', 7, { result: 7 }],
    ['a text', 'seven', { result: 'seven' }],
    ['a text that looks like JSON', '{"score": 7}', { result: '{"score": 7}' }],
  ])('is the output of the step: %s', async (_what, value, output) => {
    const result = await runText(one(), { model: scriptedModel(hands), tools: { hand: handing(value) } });
    expect(result.termination.kind).toBe('flow_completed');
    expect(result.output).toEqual({ v: output });
  });

  it('is the arguments of submitTool', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'hand', input: { score: 7 } }] }]);
    const fields = ', output: {score: {type: number}}';
    expect((await runText(one(fields), { model, tools: { hand: submitTool() } })).output).toEqual({ v: { score: 7 } });
  });

  it('has to be what the step declares, as any answer', async () => {
    const result = await runText(one(', output: {score: {type: number}}'), {
      model: scriptedModel(hands),
      tools: { hand: handing({ mark: 7 }) },
    });
    expect(rootCause(result.termination)).toMatchObject({
      kind: 'schema_validation',
      violations: [{ path: 'score', message: 'Missing required output field: score' }],
      received: { mark: 7 },
    });
  });

  it('is asked for once more when the run is resumed', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'hand', input: { mark: 7 } }] }, { output: { score: 7 } }]);
    const text = one(', output: {score: {type: number}}');
    const result = await runText(text, { model, tools: { hand: submitTool() } });
    expect(result.category).toBe('retryable');
    expect((await result.resume()).output).toEqual({ v: { score: 7 } });
  });

  it('is judged where the step has a validator', async () => {
    const asked: string[] = [];
    const model = scriptedModel(
      { m: hands, '*': [{ output: { passed: true, issues: [] } }] },
      { onCall: ({ agent, options }) => void (agent !== 'm' && asked.push(JSON.stringify(options.prompt))) },
    );
    const text = one(', validator: {criteria: "is high"}');
    const result = await runText(text, { model, tools: { hand: handing({ score: 7 }) } });
    expect(result.output).toEqual({ v: { score: 7 } });
    expect(JSON.parse(asked[0] ?? '')).toMatchObject([
      { content: [{ text: expect.stringContaining('Output:\n{"score":7}') }] },
    ]);
  });
});

describe('a directive longer than a result may be', () => {
  const short = ', runtime: {tool_output: {max_chars: 1000}}';

  it('still submits', async () => {
    const long = { text: 'y'.repeat(3000) };
    const result = await runText(one('', short), { model: scriptedModel(hands), tools: { hand: handing(long) } });
    expect(result.output).toEqual({ v: long });
  });

  it('still halts', async () => {
    const hand = { inputSchema: { type: 'object' }, execute: () => halt('n'.repeat(3000)) };
    const result = await runText(one('', short), { model: scriptedModel(hands), tools: { hand } });
    expect(rootCause(result.termination)).toMatchObject({ kind: 'halted', reason: 'n'.repeat(3000) });
  });
});
