import { defineConvergence, fact, gate, suggestor } from 'fullstop/convergence';

/** Scores the vendor, then proposes a decision; a person has to look at it when the risk is high. */
export const approval = defineConvergence({
  name: 'approval',
  seed: ({ amount, vendor }) => [fact('request', { amount, vendor }, { id: 'order' })],
  suggestors: [
    suggestor('risk scorer', {
      dependsOn: ['request'],
      execute: ({ facts, propose }) => {
        propose('risk', { score: facts.latest('request').payload.vendor === 'ACME' ? 7 : 1 });
      },
    }),
    suggestor('approver', {
      dependsOn: ['risk'],
      execute: ({ facts, propose }) => {
        const { score } = facts.latest('risk').payload;
        const approved = facts.latest('request').payload.amount <= 20_000;
        propose('decision', { approved, score }, { id: 'final', confidence: 1 - score / 10 });
      },
    }),
  ],
  gates: [gate({ key: 'decision', confidenceAtMost: 0.5, deadline: '2d', onExpiry: 'reject' })],
  budgets: { cycles: 20 },
  output: (facts) =>
    facts.latest('decision')?.payload ?? { approved: false, score: facts.latest('risk')?.payload.score },
});
