import { defineConvergence, fact, suggestor } from 'fullstop/convergence';
import { pipeline } from 'fullstop/pipeline';

export const invoice = pipeline('invoice')
  .stage('tax', ({ input }) => input.net * 0.25)
  .stage('sum', ({ input, tax }) => ({ gross: input.net + tax.output }));

const reviewer = suggestor('reviewer', {
  dependsOn: ['request'],
  accepts: ({ facts }) => facts.get('decision').length === 0,
  execute: ({ facts, propose }) => {
    const [request] = facts.get('request');
    propose('decision', { approved: request.payload.amount <= 1000 });
  },
});

export const decision = defineConvergence({
  name: 'decision',
  seed: ({ amount }) => [fact('request', { amount })],
  suggestors: [reviewer],
  budgets: { cycles: 5 },
  output: (facts) => facts.get('decision')[0].payload,
});
