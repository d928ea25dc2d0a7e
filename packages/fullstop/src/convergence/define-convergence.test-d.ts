import { describe, expectTypeOf, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { requireApproval } from '../agent/tools/tool.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { match } from '../termination/match.js';
import { converge } from './converge.js';
import { defineConvergence } from './define-convergence.js';
import { type Fact, fact } from './facts/fact.js';
import type { ConvergenceSummary } from './options/convergence-options.js';
import { criterion } from './options/criterion.js';
import { family } from './options/family.js';
import { gate } from './options/gate.js';
import { acceptance } from './options/invariant.js';
import { promotionGate } from './options/promotion-gate.js';
import { suggestor } from './options/suggestor.js';

type Base =
  | 'cycle_budget'
  | 'agent_refused'
  | 'cancelled'
  | 'failed'
  | 'abandoned'
  | 'prompt_too_long'
  | 'provider_auth'
  | 'provider_failed'
  | 'provider_quota';
type KindOf<
  TConvergence extends { run(...values: never[]): Promise<{ readonly termination: { readonly kind: string } }> },
> = Awaited<ReturnType<TConvergence['run']>>['termination']['kind'];

const plain = suggestor('plain', { execute: () => undefined });

describe('the endings of a convergence', () => {
  it('are the base kinds, converged and the detector without options', () => {
    const convergence = defineConvergence({ suggestors: [plain] });
    expectTypeOf<KindOf<typeof convergence>>().toEqualTypeOf<
      Base | 'converged' | 'loop_detected' | 'promotion_rejected'
    >();
  });

  it('are just what the options allow', () => {
    const convergence = defineConvergence({
      suggestors: [plain],
      intent: { criteria: [criterion('x', () => true)] },
      invariants: [acceptance('y', () => true)],
      gates: [gate({ key: 'decision' })],
      budgets: { facts: 5, tokens: 100 },
      oscillation: false,
    });
    expectTypeOf<KindOf<typeof convergence>>().toEqualTypeOf<
      | Base
      | 'criteria_met'
      | 'criteria_unmet'
      | 'human_intervention_required'
      | 'invariant_violated'
      | 'gate_pending'
      | 'fact_budget'
      | 'token_budget'
    >();
  });

  it('know whether a deadline can end the run', () => {
    const options = { suggestors: [], oscillation: false } as const;
    const ending = defineConvergence({ ...options, gates: [gate({ deadline: '1h' })] });
    expectTypeOf<KindOf<typeof ending>>().toEqualTypeOf<Base | 'converged' | 'gate_pending' | 'gate_expired'>();
    const deciding = defineConvergence({ ...options, gates: [gate({ deadline: '1h', onExpiry: 'reject' })] });
    expectTypeOf<KindOf<typeof deciding>>().toEqualTypeOf<Base | 'converged' | 'gate_pending'>();
    const escalating = defineConvergence({ ...options, gates: [gate({ deadline: '1h', onExpiry: 'escalate' })] });
    expectTypeOf<KindOf<typeof escalating>>().toEqualTypeOf<Base | 'converged' | 'gate_pending' | 'gate_expired'>();
  });

  it('know whether a rejection can end the run', () => {
    const options = { suggestors: [], oscillation: false } as const;
    const fatal = defineConvergence({ ...options, promotionGates: [promotionGate('x', () => true, { fatal: true })] });
    expectTypeOf<KindOf<typeof fatal>>().toEqualTypeOf<Base | 'converged' | 'promotion_rejected'>();
    const mild = defineConvergence({ ...options, promotionGates: [promotionGate('x', () => true)] });
    expectTypeOf<KindOf<typeof mild>>().toEqualTypeOf<Base | 'converged'>();
    const conflict = defineConvergence({ ...options, onConflict: 'end' });
    expectTypeOf<KindOf<typeof conflict>>().toEqualTypeOf<Base | 'converged' | 'promotion_rejected'>();
  });

  it('take over the pauses of agents inside', () => {
    const model = scriptedModel([]);
    const calm = defineAgent({ model });
    const asking = defineAgent({ model, tools: { deploy: requireApproval({ execute: () => 1 }) } });
    const rules = { input: () => 'go', propose: () => undefined } as const;
    const withCalm = defineConvergence({ suggestors: [suggestor('a', { use: calm, ...rules })], oscillation: false });
    expectTypeOf<KindOf<typeof withCalm>>().toEqualTypeOf<Base | 'converged' | 'child_failed'>();
    const withAsking = defineConvergence({
      suggestors: [plain, suggestor('a', { use: asking, ...rules })],
      oscillation: false,
    });
    expectTypeOf<KindOf<typeof withAsking>>().toEqualTypeOf<
      Base | 'converged' | 'child_failed' | 'interaction_pending'
    >();
  });

  it('grow by the budgets of a resume', async () => {
    const first = await converge({ suggestors: [plain], oscillation: false });
    expectTypeOf(first.termination.kind).toEqualTypeOf<Base | 'converged'>();
    const second = await first.resume({ budgets: { tokens: 5 } });
    expectTypeOf(second.termination.kind).toEqualTypeOf<Base | 'converged' | 'token_budget'>();
  });

  it('can be matched without a default', async () => {
    const { termination } = await converge({ suggestors: [plain], oscillation: false });
    match(termination, {
      converged: ({ cycles }) => cycles,
      cycle_budget: ({ limit }) => limit,
      agent_refused: () => 0,
      cancelled: () => 0,
      failed: () => 0,
      abandoned: () => 0,
      prompt_too_long: () => 0,
      provider_auth: () => 0,
      provider_failed: () => 0,
      provider_quota: () => 0,
    });
  });
});

describe('inputs and outputs of a convergence', () => {
  it('come from the options', async () => {
    const convergence = defineConvergence({
      suggestors: [plain],
      seed: (order: { readonly amount: number }) => [fact('order', order)],
      output: (facts) => ({ decided: facts.has('decision') }),
    });
    expectTypeOf(convergence.run).parameter(0).toEqualTypeOf<{ readonly amount: number }>();
    const { output } = await convergence.run({ amount: 5 });
    expectTypeOf(output).toEqualTypeOf<{ decided: boolean } | undefined>();
    const usual = await defineConvergence({ suggestors: [plain] }).run();
    expectTypeOf(usual.output).toEqualTypeOf<ConvergenceSummary | undefined>();
  });

  it('have typed families', async () => {
    const risk = family<{ readonly score: number }>('risk');
    // @ts-expect-error a score is a number
    fact(risk, { score: 'high' });
    suggestor('x', {
      execute: ({ facts, propose }) => {
        expectTypeOf(facts.get(risk)).toEqualTypeOf<readonly Fact<{ readonly score: number }>[]>();
        propose(risk, { score: 1 });
      },
    });
  });
});
