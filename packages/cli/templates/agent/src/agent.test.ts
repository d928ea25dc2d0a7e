import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyEnding, scriptedModel } from 'fullstop/testing';
import { defineBuyer } from './agent.js';

test('the buyer answers once it knows the prices', async () => {
  const model = scriptedModel([
    { toolCalls: [{ tool: 'find_price', input: { supplier: 'Birch' } }] },
    { text: 'Birch asks $395.' },
  ]);
  const result = await defineBuyer(model).run('What does Birch ask?');
  assert.equal(result.termination.kind, 'natural_end');
  assert.deepEqual(
    result.toolCalls.map(({ tool, output }) => ({ tool, output })),
    [{ tool: 'find_price', output: { type: 'json', value: 395 } }],
  );
});

test('the buyer does not ask for the same price for ever', async () => {
  const same = { toolCalls: [{ tool: 'find_price', input: { supplier: 'Birch' } }] };
  const result = await defineBuyer(scriptedModel([same], { exhausted: 'repeat-last' })).run('Which is the cheapest?');
  assert.equal(result.termination.kind, 'loop_detected');
  assert.equal(result.category, 'capacity');
});

test('every way in which it can end is known', async () => {
  const { cases } = everyEnding(defineBuyer(scriptedModel([{ text: 'never asked' }])));
  for (const { kind, run } of cases) assert.equal((await run()).termination.kind, kind);
});
