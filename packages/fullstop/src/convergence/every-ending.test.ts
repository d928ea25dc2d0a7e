import { generateText } from 'ai';
import { describe, expect, it } from 'vitest';
import { converge as convergeDialect } from '../dialects/converge.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { systemClock } from '../engines/port/clock.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { sweepAbandoned } from '../run/process/sweep.js';
import type { Ending } from '../termination/ending.js';
import { terminations } from '../termination/terminations.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { possibleKinds } from './kinds.js';
import type { ConvergenceOptions } from './options/convergence-options.js';
import { blocked, criterion } from './options/criterion.js';
import { gate } from './options/gate.js';
import { acceptance, semantic, structural } from './options/invariant.js';
import { promotionGate } from './options/promotion-gate.js';
import { type RunsWithin, suggestor } from './options/suggestor.js';

const seed = suggestor('seed', {
  accepts: ({ facts }) => !facts.has('seed'),
  execute: ({ propose }) => propose('seed', { text: 'go' }, { id: 's' }),
});
/** Adds a new fact in every cycle, for ever. */
const counter = suggestor('counter', {
  execute: ({ facts, propose, charge }) => {
    charge({ inputTokens: 30, outputTokens: 20, costUsd: 0.1 });
    propose('count', { n: facts.size });
  },
});

interface Case {
  readonly options: ConvergenceOptions;
  readonly ending: Ending & Readonly<Record<string, unknown>>;
}

const asks = { name: 'asks', kinds: ['interaction_pending'], run: () => Promise.reject(new Error('only inside')) };
const asking: RunsWithin<string, never> = {
  ...asks,
  within: async (context) => {
    await context.wait({ id: 'colour', type: 'input' });
    return { termination: terminations.naturalEnd() };
  },
};
const failing: RunsWithin<string, never> = {
  ...asks,
  within: async () => ({ termination: terminations.providerAuth({ status: 401, provider: 'acme' }) }),
};
const unit = (use: RunsWithin<string, never>) =>
  suggestor('unit', { use, input: () => 'go', propose: ({ propose }) => propose('done', { yes: true }) });

const cases: Readonly<Record<string, Case>> = {
  converged: { options: { suggestors: [seed] }, ending: { kind: 'converged', cycles: 1, facts: 1 } },
  criteria_met: {
    options: { suggestors: [seed], intent: { criteria: [criterion('seeded', ({ facts }) => facts.has('seed'))] } },
    ending: { kind: 'criteria_met', criteria: ['seeded'] },
  },
  criteria_unmet: {
    options: { suggestors: [seed], intent: { criteria: [criterion('decided', ({ facts }) => facts.has('decision'))] } },
    ending: { kind: 'criteria_unmet', criteria: ['decided'] },
  },
  human_intervention_required: {
    options: {
      suggestors: [seed],
      intent: { criteria: [criterion('signed', () => blocked('no signature', 'sig-1'))] },
    },
    ending: { kind: 'human_intervention_required', criteria: ['signed'], approvalRefs: ['sig-1'] },
  },
  cycle_budget: {
    options: { suggestors: [counter], budgets: { cycles: 3 } },
    ending: { kind: 'cycle_budget', limit: 3, used: 3 },
  },
  fact_budget: {
    options: { suggestors: [counter], budgets: { facts: 2 } },
    ending: { kind: 'fact_budget', limit: 2, used: 2 },
  },
  token_budget: {
    options: { suggestors: [counter], budgets: { tokens: 100 } },
    ending: { kind: 'token_budget', limit: 100, used: 100 },
  },
  cost_budget: {
    options: { suggestors: [counter], budgets: { costUsd: 0.1 } },
    ending: { kind: 'cost_budget', limitUsd: 0.1, usedUsd: 0.1 },
  },
  time_budget: {
    options: {
      budgets: { time: '1m' },
      suggestors: [
        suggestor('slow', {
          execute: ({ clock, signal }) =>
            new Promise<void>((resolve) => {
              const stop = clock.callAt(clock.now() + 3_600_000, resolve);
              signal.addEventListener('abort', stop);
            }),
        }),
      ],
    },
    ending: { kind: 'time_budget', limitMs: 60_000, elapsedMs: 60_000, scope: 'run' },
  },
  invariant_violated: {
    options: {
      suggestors: [seed],
      invariants: [
        structural('no seeds', (facts) => ({ reason: 'a seed', facts: facts.get('seed').map(({ ref }) => ref) })),
      ],
    },
    ending: { kind: 'invariant_violated', class: 'structural', name: 'no seeds', reason: 'a seed', facts: [] },
  },
  promotion_rejected: {
    options: { suggestors: [seed], promotionGates: [promotionGate('closed', () => 'nothing passes', { fatal: true })] },
    ending: { kind: 'promotion_rejected', proposalId: 'seed/s', reason: 'nothing passes' },
  },
  agent_refused: {
    options: { suggestors: [suggestor('shy', { execute: ({ refuse }) => refuse('not my task') })] },
    ending: { kind: 'agent_refused', agentId: 'shy', reason: 'not my task', by: 'suggestor' },
  },
  gate_pending: {
    options: { suggestors: [seed], gates: [gate({ key: 'seed' })] },
    ending: {
      kind: 'gate_pending',
      gates: [
        {
          gateId: 'seed/s@1',
          path: '',
          summary: 'seed proposes seed/s: go',
          proposalId: 'seed/s',
          agentId: 'seed',
          cycle: 1,
        },
      ],
    },
  },
  interaction_pending: {
    options: { suggestors: [unit(asking)] },
    ending: { kind: 'interaction_pending', requests: [{ id: 'colour', path: 'unit', type: 'input' }] },
  },
  child_failed: {
    options: { suggestors: [unit(failing)] },
    ending: {
      kind: 'child_failed',
      child: { name: 'unit', path: 'unit' },
      termination: { kind: 'provider_auth', status: 401, provider: 'acme' },
    },
  },
  failed: {
    options: {
      suggestors: [
        suggestor('broken', {
          execute: () => {
            throw Object.assign(new Error('no network'), { code: 'ECONNRESET' });
          },
        }),
      ],
    },
    ending: {
      kind: 'failed',
      error: { name: 'Error', message: 'The suggestor "broken" failed: no network', code: 'ECONNRESET' },
      origin: 'step',
      errorClass: 'external',
    },
  },
  loop_detected: {
    options: {
      suggestors: [
        suggestor('toggler', {
          execute: ({ facts, propose }) => propose('light', { on: facts.size % 2 === 0 }, { id: `l${facts.size}` }),
        }),
      ],
      oscillation: { contents: 2 },
    },
    ending: {
      kind: 'loop_detected',
      cycle: [
        { tool: 'toggler', input: { ref: 'light/l2', payload: { on: true } } },
        { tool: 'toggler', input: { ref: 'light/l3', payload: { on: false } } },
      ],
      repeats: 2,
    },
  },
};

const produced = new Set<string>();

async function endingOf(options: ConvergenceOptions): Promise<Ending> {
  const convergence = defineConvergence(options);
  const { termination, persisted } = await convergence.run(undefined, { clock: simulatedClock() });
  expect(persisted).toBe(true);
  expect(convergence.kinds).toContain(termination.kind);
  produced.add(termination.kind);
  return withoutStack(termination);
}

function withoutStack(termination: Ending): Ending {
  return JSON.parse(JSON.stringify(termination, (key, value) => (key === 'stack' ? undefined : value))) as Ending;
}

describe('every ending of a convergence', () => {
  it.each(Object.entries(cases))('%s', async (_, { options, ending }) => {
    expect(await endingOf(options)).toEqual(ending);
  });

  it('cancelled', async () => {
    const controller = new AbortController();
    const slow = suggestor('slow', {
      execute: () => {
        controller.abort('enough');
        return new Promise(() => undefined);
      },
    });
    const convergence = defineConvergence({ suggestors: [slow], graceMs: 10 });
    const { termination } = await convergence.run(undefined, { signal: controller.signal });
    produced.add(termination.kind);
    expect(termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
  });

  it('gate_expired, when nobody answers in time, and resumes with a new deadline', async () => {
    const clock = simulatedClock();
    const convergence = defineConvergence({ suggestors: [seed], gates: [gate({ key: 'seed', deadline: '1h' })] });
    const engine = memoryEngine({ clock });
    const { termination } = await convergence.run(undefined, { engine, runId: 'r', onPause: 'wait' });
    produced.add(termination.kind);
    expect(termination).toMatchObject({ kind: 'gate_expired', gateId: 'seed/s@1' });
    const again = await convergence.resume('r', { engine, deadlines: { 'seed/s@1': clock.now() + 60_000 } });
    expect(again.termination.kind).toBe('gate_pending');
    const done = await again.resume({ answers: { 'seed/s@1': { decision: 'approve' } } });
    expect(done.termination).toEqual({ kind: 'converged', cycles: 1, facts: 1 });
  });

  it('abandoned, and resumed', async () => {
    const hour = 3_600_000;
    const source = memoryEngine({ clock: { ...systemClock, now: () => Date.now() - hour } });
    const convergence = defineConvergence({ suggestors: [seed] });
    await convergence.run(undefined, { engine: source, runId: 'gone' });
    const engine = memoryEngine();
    await engine.importRun((await source.journal('gone')).slice(0, 3));
    const [ending] = await sweepAbandoned(engine, [convergence], { olderThanMs: 1000 });
    expect(ending?.termination.kind).toBe('abandoned');
    expect((await convergence.result('gone', { engine }))?.termination.kind).toBe('abandoned');
    produced.add('abandoned');
    expect((await convergence.resume('gone', { engine })).termination).toEqual({
      kind: 'converged',
      cycles: 1,
      facts: 1,
    });
  });

  it('those of a provider that a suggestor asked by itself', async () => {
    const answers: readonly ScriptAnswer[] = [
      { error: { status: 401 } },
      { error: { status: 402 } },
      { error: { status: 429 } },
      { error: 'context_length' },
    ];
    const kinds: string[] = [];
    for (const answer of answers) {
      const ask = async (): Promise<void> => {
        await generateText({ model: scriptedModel([answer]) as never, prompt: 'go', maxRetries: 0 });
      };
      kinds.push((await endingOf({ suggestors: [suggestor('asker', { execute: ask })] })).kind);
    }
    expect(kinds).toEqual(['provider_auth', 'provider_quota', 'provider_failed', 'prompt_too_long']);
  });

  it('semantic and acceptance violations too', async () => {
    const bad = fact('seed', { text: 'bad' }, { id: 'x' });
    const offending = { reason: 'bad', facts: ['seed/x'] };
    expect(await endingOf({ suggestors: [], facts: [bad], invariants: [semantic('good', () => offending)] })).toEqual({
      kind: 'invariant_violated',
      class: 'semantic',
      name: 'good',
      ...offending,
    });
    expect(await endingOf({ suggestors: [], facts: [bad], invariants: [acceptance('good', () => false)] })).toEqual({
      kind: 'invariant_violated',
      class: 'acceptance',
      name: 'good',
      reason: 'it does not hold',
      facts: [],
    });
  });

  it('is in the list: all kinds that any options allow were produced here, and nothing else', () => {
    const everything: ConvergenceOptions = {
      suggestors: [unit(asking)],
      gates: [gate({ deadline: '1h' })],
      invariants: [structural('x', () => true)],
      onConflict: 'end',
      budgets: { cycles: 1, facts: 1, tokens: 1, costUsd: 1, time: 1 },
    };
    const withIntent = { ...everything, intent: { criteria: [criterion('x', () => true)] } };
    expect([...produced].sort()).toEqual(
      [...new Set([...possibleKinds(everything), ...possibleKinds(withIntent)])].sort(),
    );
  });

  it('covers all thirteen reasons that Converge knows, of which Converge itself can reach six', () => {
    const endings = [...Object.values(cases).map(({ ending }) => ending), terminations.cancelled({ by: 'caller' })];
    const words = endings.map((ending) => convergeDialect.encode(ending as never).value);
    const names = new Set(
      words.flatMap((word) => (typeof word === 'object' && word !== null ? Object.keys(word) : [word])),
    );
    for (const name of thirteen) expect(names).toContain(name);
  });
});

const thirteen = [
  'Converged',
  'CriteriaMet',
  'UserCancelled',
  'HumanInterventionRequired',
  'CycleBudgetExhausted',
  'FactBudgetExhausted',
  'TokenBudgetExhausted',
  'TimeBudgetExhausted',
  'InvariantViolated',
  'PromotionRejected',
  'Error',
  'AgentRefused',
  'HitlGatePending',
];
