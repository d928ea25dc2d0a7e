import { approve, memoryEngine } from 'fullstop';
import { acceptance, defineConvergence, fact, family, gate, suggestor, verifyInclusion } from 'fullstop/convergence';
import { pipeline, using } from 'fullstop/pipeline';
import { z } from 'zod';

const request = family('request', { schema: z.object({ amount: z.number().positive(), vendor: z.string() }) });
const risk = family('risk', { schema: z.object({ score: z.number().min(0).max(10) }) });
const decision = family('decision', { schema: z.object({ approved: z.boolean(), why: z.string() }) });

/** Each suggestor is woken by new facts under the keys that it depends on, and proposes facts of its own. */
const riskScorer = suggestor('risk scorer', {
  dependsOn: [request],
  execute: ({ facts, propose }) => {
    const asked = facts.latest(request);
    if (asked !== undefined) propose(risk, { score: asked.payload.vendor === 'ACME' ? 7 : 1 }, { because: [asked] });
  },
});
const policyChecker = suggestor('policy checker', {
  dependsOn: [request],
  execute: ({ facts, propose }) => propose('policy', { limit: 20_000, asked: facts.latest(request)?.payload.amount }),
});
const approver = suggestor('approver', {
  dependsOn: [risk, 'policy'],
  execute: ({ facts, propose }) => {
    const [scored, policy] = [facts.latest(risk), facts.latest<{ limit: number; asked: number }>('policy')];
    if (scored === undefined || policy === undefined) return;
    const approved = policy.payload.asked <= policy.payload.limit;
    const why = `risk ${scored.payload.score}, ${policy.payload.asked} of ${policy.payload.limit}`;
    // A high risk lowers its confidence, and then a person has to decide.
    propose(
      decision,
      { approved, why },
      { id: 'final', confidence: 1 - scored.payload.score / 10, because: [scored, policy] },
    );
  },
});

const approval = defineConvergence({
  name: 'approval',
  families: [request, risk, decision],
  seed: (order: { readonly amount: number; readonly vendor: string }) => [fact(request, order, { id: 'order' })],
  suggestors: [riskScorer, policyChecker, approver],
  invariants: [acceptance('a decision exists', (facts) => facts.has(decision))],
  gates: [gate({ key: 'decision', when: ({ confidence }) => confidence < 0.9, deadline: '2d', onExpiry: 'reject' })],
  budgets: { cycles: 20, facts: 500, costUsd: 1 },
  output: (facts) => facts.latest(decision)?.payload,
});

const engine = memoryEngine();
const paused = await approval.run({ amount: 18_000, vendor: 'ACME' }, { engine, runId: 'po-4711' });
if (paused.termination.kind === 'gate_pending') {
  for (const { gateId, summary } of paused.termination.gates) console.log(gateId, '·', summary);
}
console.log(paused.facts.all().map(({ key, by }) => `${key} by ${by}`));

// Days later, in another process on the same store.
const answers = { 'decision/final@2': approve({ by: 'maria', reason: 'known vendor' }) };
const done = await approval.resume('po-4711', { engine, answers });
console.log(done.termination, done.output);
console.log(done.facts.latest(decision)?.approval?.by, 'said', done.facts.latest(decision)?.approval?.reason);

// With the root hash, anyone can verify a fact without having the others.
const proof = done.prove('decision/final');
console.log('proved:', proof !== undefined && verifyInclusion(proof, done.root));
console.log(
  'because:',
  done.explain('decision/final')?.because.map((cause) => cause.fact.key),
);

// The same as a stage of a pipeline: the pipeline pauses with it, and its output is the stage's output.
const purchasing = pipeline('purchasing', { input: z.object({ amount: z.number(), vendor: z.string() }) })
  .stage(
    'approve',
    using(approval, ({ input }) => input),
  )
  .stage('order', ({ approve: stage }) => (stage.output?.approved === true ? 'ordered' : 'not ordered'));
const waiting = await purchasing.run({ amount: 500, vendor: 'ACME' });
console.log(waiting.termination.kind, '·', waiting.nextAction);
const ordered = await waiting.resume({ answers: { 'approve/decision/final@2': approve({ by: 'otto' }) } });
console.log(ordered.termination, ordered.output);
