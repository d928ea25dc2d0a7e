import { defineAgent, describe, maxIterations } from 'fullstop';
import { pipeline, using } from 'fullstop/pipeline';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// A scripted model, so that this runs without an API key; any AI SDK language model can take its place.
const model = scriptedModel([
  { toolCalls: [{ tool: 'compare', input: { invoice: 'A-1' } }] },
  { toolCalls: [{ tool: 'compare', input: { invoice: 'A-2' } }] },
  { output: { findings: ['A-2 was paid twice'] } },
]);

const reconciler = defineAgent({
  name: 'reconciler',
  model,
  tools: { compare: { inputSchema: z.object({ invoice: z.string() }), execute: async () => 'differs' } },
  output: z.object({ findings: z.array(z.string()) }),
  stopWhen: [maxIterations(2)],
});

const monthEnd = pipeline('month-end', { input: z.object({ month: z.string() }) })
  .stage('collect', async ({ input }) => [`${input.month}/A-1`, `${input.month}/A-2`])
  // Later stages see the typed results of earlier ones.
  .stage(
    'reconcile',
    using(reconciler, ({ collect }) => `Reconcile ${collect.output.join(' and ')}`),
  )
  .stage('report', ({ reconcile }) => reconcile.output.findings.join('; '), {
    skip: ({ reconcile }) => reconcile.output.findings.length === 0 && 'nothing to report',
  });

const first = await monthEnd.run({ month: 'May' });
for (const { name, outcome, termination } of first.stages) console.log(name, '·', outcome, '·', termination.kind);
console.log(describe(first.termination));

// Nothing is lost at a limit: with a larger one the agent continues where it stopped, and the first stage is not repeated.
const second = await first.resume({ stopWhen: [maxIterations(10)] });
for (const { name, outcome, termination } of second.stages) console.log(name, '·', outcome, '·', termination.kind);
console.log(second.output);
