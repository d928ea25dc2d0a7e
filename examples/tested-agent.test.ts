import { readFileSync } from 'node:fs';
import { defineAgent, loopDetection, matchCategory, maxIterations } from 'fullstop';
import { everyEnding, loadRun, scriptedModel, terminationMatchers } from 'fullstop/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

// Once for all tests, in a setup file.
expect.extend(terminationMatchers);

// The application: an agent, and what it does with each ending.
const search = {
  description: 'Searches the catalogue',
  inputSchema: z.object({ query: z.string() }),
  execute: async ({ query }: { query: string }) => `nothing found for ${query}`,
};

function buyer(model: ReturnType<typeof scriptedModel>) {
  return defineAgent({ name: 'buyer', model, tools: { search }, stopWhen: [maxIterations(25), loopDetection()] });
}

type BuyerResult = Awaited<ReturnType<ReturnType<typeof buyer>['run']>>;

function reply(result: BuyerResult): { readonly status: number; readonly body: string } {
  return matchCategory(result.termination, {
    success: () => ({ status: 200, body: result.text }),
    capacity: () => ({ status: 200, body: 'This takes longer than usual. Continue?' }),
    paused: () => ({ status: 202, body: result.nextAction }),
    retryable: () => ({ status: 503, body: 'Please try again later.' }),
    cancelled: () => ({ status: 499, body: '' }),
    fatal: () => ({ status: 500, body: 'Something is broken on our side.' }),
  });
}

test('the buyer gives up when its searches find nothing new', async () => {
  const model = scriptedModel([{ toolCalls: [{ tool: 'search', input: { query: 'steel' } }] }], {
    exhausted: 'repeat-last',
  });
  const result = await buyer(model).run('Find steel');
  expect(result).toEndWith('loop_detected', { repeats: 3, cycle: [{ tool: 'search' }] });
  expect(result).toEndAs('capacity');
});

describe('the reply to a buyer that ended with', () => {
  const agent = buyer(scriptedModel([{ text: 'never asked' }]));
  // No tool of the buyer returns submit(…), so it never ends so; nothing else is left out.
  const { cases, undriven } = everyEnding(agent);
  test.each(cases)('$kind has a status and no secrets', async ({ run }) => {
    const { status, body } = reply(await run());
    expect(status).toBeGreaterThanOrEqual(200);
    expect(body).not.toContain('Error');
  });
  test('everything that can be driven', () => expect(undriven.map(({ kind }) => kind)).toEqual(['submitted']));
});

test('the run of last Tuesday would end now as it did then', async () => {
  // Saved with saveRun(engine, runId), or by: fullstop export RUN > too-many-searches.jsonl
  const run = await loadRun(readFileSync('examples/recorded-runs/too-many-searches.jsonl', 'utf8'));
  expect(run).toEndWith('max_iterations', { limit: 25 });

  // The code of today against the journal of then: this model would fail the test if it were asked.
  const again = await run.replay(buyer(scriptedModel([{ error: { message: 'asked again' } }])));
  expect(again.termination).toEqual(run.termination);

  // And with a lower limit?
  expect(run.whatIf([maxIterations(10)])?.termination).toEndWith('max_iterations', { limit: 10 });
});
