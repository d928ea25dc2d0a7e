import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { runAgent } from './run-agent.js';
import type { ToolLike } from './tools/tool.js';

async function resultOf(tool: ToolLike): Promise<unknown> {
  const model = scriptedModel([{ toolCalls: [{ tool: 'work' }] }, { text: 'done' }]);
  const { toolCalls, termination } = await runAgent({ model, tools: { work: tool }, prompt: 'go' });
  expect(termination).toEqual({ kind: 'natural_end' });
  return toolCalls[0]?.output;
}

const asTheyAre = ({ output }: { readonly output: unknown }): object => ({ type: 'json', value: output });

describe('the result of a tool', () => {
  it.each([
    [
      'a promise that was not awaited',
      () => ({ price: Promise.resolve(7) }),
      'price is an object of the class Promise',
    ],
    ['an error', () => [{ reason: new TypeError('no') }], '[0].reason is an object of the class TypeError'],
    ['a Map', () => ({ prices: new Map([['nail', 7]]) }), 'prices is a Map'],
    ['a function', () => ({ again: () => 7 }), 'again is a function'],
    ['not a number', () => ({ price: Number.NaN }), 'price is NaN'],
  ])('that holds %s is an error which says where it is', async (_name, execute, words) => {
    for (const tool of [{ execute }, { execute, toModelOutput: asTheyAre }]) {
      const output = await resultOf(tool);
      expect(output).toMatchObject({ type: 'error-text', value: expect.stringContaining(words) as unknown });
    }
  });

  it('may hold dates and whatever else says itself how it is written', async () => {
    const execute = (): unknown => ({ at: new Date(0), url: new URL('https://example.org/'), none: undefined });
    const written = { type: 'json', value: { at: '1970-01-01T00:00:00.000Z', url: 'https://example.org/' } };
    expect(await resultOf({ execute })).toEqual(written);
    expect(await resultOf({ execute, toModelOutput: asTheyAre })).toEqual(written);
  });
});
