import { createPrices, defineRun, estimateUsage, FullstopError, type RunContext, terminations } from 'fullstop';

const prices = createPrices({ 'house/writer': { inputPerMillion: 2, outputPerMillion: 10 } });

// A cost budget needs prices: a missing one is refused up front, because the budget could never be reached.
try {
  prices.requirePrice('house/unheard-of', { costBudget: 0.06 });
} catch (error) {
  console.log(FullstopError.is(error) ? error.code : error);
}

const writer = defineRun({
  name: 'writer',
  limits: { costUsd: 0.06 },
  run: async (context) => {
    for (let page = 1; ; page += 1) {
      // A child has limits of its own, within those of its parent.
      await context.child(`page ${page}`, writePage, { limits: { tokens: 8000 } });
    }
  },
});

async function writePage(context: RunContext) {
  await context.step(
    'write',
    ({ charge }) => charge(prices.charge('house/writer', { inputTokens: 5000, outputTokens: 1000 })),
    // The largest possible output is reserved before the call, so that concurrent calls cannot overshoot the budget.
    { reserve: { outputTokens: 1000, costUsd: 0.01 } },
  );
  return terminations.flowCompleted({ last: 'write' });
}

const result = await writer.run(undefined);
console.log(result.termination);
console.log(result.usage, result.costUsd);

// A call without reported usage is charged by estimate and marked as estimated.
console.log(prices.charge('house/writer', estimateUsage('a prompt of a few words', 'an answer')));
