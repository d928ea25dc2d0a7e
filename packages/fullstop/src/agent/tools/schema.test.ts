import { jsonSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { runAgent } from '../run-agent.js';
import { readSchema } from './schema.js';

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    unit: { enum: ['C', 'F'] },
    note: { type: 'null' },
  },
  required: ['city'],
};

describe('a plain JSON Schema', () => {
  it.each([
    [{ city: 'Oslo' }, undefined],
    [{ city: 'Oslo', days: 3, unit: 'C', note: null, more: 1 }, undefined],
    [{}, 'value.city is missing'],
    [{ city: 5 }, 'value.city is 5, not of type string'],
    [{ city: 'Oslo', days: 1.5 }, 'value.days is 1.5, not of type integer'],
    [{ city: 'Oslo', unit: 'K' }, 'value.unit is "K", not one of "C", "F"'],
    ['Oslo', 'value is "Oslo", not of type object'],
  ])('says of %j: %s', async (value, message) => {
    const checked = await readSchema(schema, 'The schema').check(value);
    expect(checked).toEqual(
      message === undefined ? { ok: true, value } : { ok: false, violations: [{ path: '', message }] },
    );
  });

  it('keeps arguments that do not fit from the tool, and tells the model', async () => {
    const made: unknown[] = [];
    const model = scriptedModel([
      { toolCalls: [{ tool: 'weather', input: { days: 3 } }] },
      { toolCalls: [{ tool: 'weather', input: { city: 'Oslo' } }] },
      { text: 'done' },
    ]);
    const weather = { inputSchema: schema, execute: (input: object) => void made.push(input) };
    const { toolCalls } = await runAgent({ model, tools: { weather }, prompt: 'go' });
    expect(toolCalls[0]).toMatchObject({
      output: { value: 'The arguments do not fit: value.city is missing' },
      error: { code: 'BAD_ARGUMENTS' },
    });
    expect(made).toEqual([{ city: 'Oslo' }]);
  });

  it('of the AI SDK is checked as the AI SDK does: only where it has a function for that', async () => {
    const unchecked = readSchema(jsonSchema(schema as never), 'The schema');
    expect(await unchecked.check({})).toEqual({ ok: true, value: {} });
    const validate = () => ({ success: false, error: new Error('no city') }) as const;
    const checked = readSchema(jsonSchema(schema as never, { validate }), 'The schema');
    expect(await checked.check({})).toEqual({ ok: false, violations: [{ path: '', message: 'no city' }] });
  });
});
