import { requireApproval } from 'fullstop';
import { blocked, criterion, fact, gate, promotionGate, structural } from 'fullstop/convergence';
import { pipeline } from 'fullstop/pipeline';
import {
  type Advice,
  agent,
  call,
  convergence,
  done,
  echo,
  type Program,
  refusingUnlessGuided,
  runId,
  score,
  seed,
  text,
} from './program-parts.fixture.js';

/** The advice where a person is asked, or an output is not good enough. */
export const humanPrograms = {
  gate_pending: {
    make: () => ({ before: convergence({ suggestors: [seed], gates: [gate({ key: 'seed' })] }) }),
    says: 'Ask a person to answer seed/s@1; the run then continues.',
    ways: [{ answers: { 'seed/s@1': { decision: 'approve' } } }],
    unchanged: 'allowed',
    stays: true,
  },
  interaction_pending: {
    make: () => ({ before: agent([call('echo'), done], { tools: { echo: requireApproval(echo) } }) }),
    says: 'Answer call_1; the run then continues.',
    ways: [{ answers: { call_1: { decision: 'approve' } } }, { answers: { call_1: { decision: 'deny' } } }],
    unchanged: 'allowed',
    stays: true,
  },
  human_intervention_required: {
    make: () => ({
      before: convergence({
        suggestors: [seed],
        intent: {
          criteria: [criterion('signed', ({ isSettled }) => isSettled('sig-1') || blocked('no signature', 'sig-1'))],
        },
      }),
    }),
    says: 'Ask a person to settle the criteria, then resume.',
    ways: [{ settled: ['sig-1'], note: 'signed' }],
    unchanged: 'allowed',
    stays: true,
  },
  gate_expired: {
    make: () => ({ before: agent([call('echo'), done], { tools: { echo: requireApproval(echo, { deadline: 30 }) } }) }),
    end: async (program, engine) => void (await program.run('go', { engine, runId, onPause: 'wait' })),
    says: 'Resume with a new deadline, and let someone know that the gate is waiting.',
    ways: [{ deadlines: { call_1: Date.now() + 86_400_000 } }],
    unchanged: 'LIMIT_UNCHANGED',
  },

  invariant_violated: {
    make: () => ({
      before: convergence({ suggestors: [seed], invariants: [structural('no seeds', (facts) => !facts.has('seed'))] }),
      after: convergence({ suggestors: [seed], invariants: [structural('no seeds', () => true)] }),
    }),
    says: 'Correct the facts or the rule, then resume.',
    ways: [{}],
    person: 'correct the rule',
    unchanged: 'allowed',
  },
  promotion_rejected: {
    make: () => ({
      before: convergence({
        suggestors: [seed],
        promotionGates: [promotionGate('g', () => 'closed', { fatal: true })],
      }),
      after: convergence({ suggestors: [seed], promotionGates: [promotionGate('g', () => true, { fatal: true })] }),
    }),
    says: 'Change what is proposed or the rule that rejects it, then resume.',
    ways: [{}],
    person: 'change the rule',
    unchanged: 'allowed',
  },
  criteria_unmet: {
    make: () => ({
      before: convergence({
        suggestors: [seed],
        intent: { criteria: [criterion('decided', ({ facts }) => facts.has('decision'))] },
      }),
      after: convergence({
        suggestors: [seed],
        intent: { criteria: [criterion('decided', ({ facts }) => facts.has('seed'))] },
      }),
    }),
    says: 'Supply what the criteria need or change the criteria, then resume.',
    ways: [{ facts: [fact('decision', { yes: true })] }, {}],
    person: 'change the criteria',
    unchanged: 'allowed',
  },
  schema_validation: {
    make: () => ({ before: agent([text('{}'), text('{"score":1}')], { output: score, repair: false }) }),
    says: 'Try again; if it happens often, allow repairs or simplify the schema.',
    ways: [{}],
    unchanged: 'allowed',
  },
  structured_output_exhausted: {
    make: () => ({
      before: agent([text('{}'), text('{}'), text('{"score":1}')], { output: score, repair: 1 }),
    }),
    says: 'Resume with more repairs or guidance, or simplify the schema or use a stronger model.',
    ways: [{ repair: 4 }, { guidance: 'An object with a score.' }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  post_validation_failed: {
    make: () => {
      let drafts = 0;
      const flow = pipeline('p').stage('draft', () => ++drafts, {
        attempts: 2,
        validate: ({ output }) => (output > 2 ? undefined : 'too short'),
      });
      return { before: flow as unknown as Program };
    },
    says: 'Resume for as many attempts again, or change the stage or its validation first.',
    ways: [{}],
    isInside: true,
    unchanged: 'allowed',
  },
  agent_refused: {
    make: () => ({ before: agent([done], { model: refusingUnlessGuided() }) }),
    says: 'Resume with guidance that changes the request; the same one would be refused again.',
    ways: [{ guidance: 'Do it DIFFERENTLY.' }],
    unchanged: 'allowed',
  },
} as const satisfies Readonly<Record<string, Advice>>;
