import fc from 'fast-check';
import { expect, it, describe as suite } from 'vitest';
import { arbitraryOf, arbitraryTermination } from './any-termination.fixture.js';
import { causeChainOf, circularCause } from './cause-chain.fixture.js';
import { category, describe, family, isOpen, nextAction, outcome } from './classify.js';
import { categories, type Ending } from './ending.js';
import type { Termination } from './kinds.js';
import { createRegistry } from './registry.js';
import { rootCause } from './root-cause.js';
import { samples } from './samples.fixture.js';
import { terminations } from './terminations.js';
import { reconciled, throttled } from './third-party.fixture.js';

const registry = createRegistry([reconciled, throttled]);

suite('open and closed endings', () => {
  it('closes on success kinds and on an explicit end, and stays open for everything else', () => {
    fc.assert(
      fc.property(arbitraryTermination, (t) => {
        const mayBeClosed = t.kind !== 'child_failed' && (category(t) === 'success' || t.kind === 'terminated');
        expect(isOpen(t)).toBe(!mayBeClosed);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['success', 'failed'] as const)('is closed after terminated as %s', (status) => {
    expect(isOpen({ ...samples.terminated, status })).toBe(false);
  });

  it.each(categories)('is open after a custom ending of category %s unless that is a success', (given) => {
    expect(isOpen(terminations.custom({ reason: 'own', category: given }))).toBe(given !== 'success');
  });

  it('is open after any failed child, even one that ended on purpose', () => {
    expect(isOpen(causeChainOf(1, samples.terminated))).toBe(true);
    expect(isOpen(causeChainOf(3, samples.natural_end))).toBe(true);
  });

  it('follows the category for third-party kinds', () => {
    expect(isOpen(reconciled({ findings: 0 }), registry)).toBe(false);
    expect(isOpen(throttled({ retryAfterMs: 5 }), registry)).toBe(true);
  });
});

suite('categories and outcomes', () => {
  it('agree unless a kind says otherwise', () => {
    const usual = {
      success: 'succeeded',
      paused: 'paused',
      cancelled: 'cancelled',
      capacity: 'failed',
      retryable: 'failed',
      fatal: 'failed',
    };
    fc.assert(
      fc.property(arbitraryTermination, (t) => {
        fc.pre(t.kind !== 'skipped' && t.kind !== 'budget_pressure');
        expect(outcome(t)).toBe(usual[category(t)]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('count a part that was not run as skipped, not as succeeded', () => {
    expect(category(samples.skipped)).toBe('success');
    expect(outcome(samples.skipped)).toBe('skipped');
  });

  it('count a budget under pressure as a success exactly when it still gave an answer', () => {
    expect(outcome({ ...samples.budget_pressure, finalized: true })).toBe('succeeded');
    expect(outcome({ ...samples.budget_pressure, finalized: false })).toBe('failed');
    expect(category(samples.budget_pressure)).toBe('capacity');
  });

  it('call only failures of something outside retryable', () => {
    const classes = ['internal', 'configuration', 'external', 'resource', 'unknown'] as const;
    const found = classes.map((errorClass) => category({ ...samples.failed, errorClass }));
    expect(found).toEqual(['fatal', 'fatal', 'retryable', 'fatal', 'fatal']);
  });

  it('take an explicit end at its word', () => {
    expect(category({ ...samples.terminated, status: 'success' })).toBe('success');
    expect(outcome({ ...samples.terminated, status: 'success' })).toBe('succeeded');
    expect(category({ ...samples.terminated, status: 'failed' })).toBe('fatal');
    expect(outcome({ ...samples.terminated, status: 'failed' })).toBe('failed');
  });

  it('come from the innermost cause of a failed child', () => {
    fc.assert(
      fc.property(arbitraryOf.child_failed, (t) => {
        expect(category(t)).toBe(category(rootCause(t)));
      }),
    );
    expect(outcome(causeChainOf(2, samples.gate_pending))).toBe('paused');
    expect(outcome(causeChainOf(2, samples.budget_pressure))).toBe('failed');
  });

  it('come from the definition of a third-party kind, also inside a failed child', () => {
    const banned = throttled({ retryAfterMs: 5, banned: true });
    expect(category(banned, registry)).toBe('fatal');
    expect(outcome(banned, registry)).toBe('failed');
    expect(outcome(throttled({ retryAfterMs: 5 }), registry)).toBe('cancelled');
    expect(family(banned, registry)).toBe('limit');
    expect(category(causeChainOf(2, banned as never), registry)).toBe('fatal');
  });

  it('take a kind that nobody registered for one that an operator has to look at, also inside a failed child', () => {
    const unknown: Ending = reconciled({ findings: 1 });
    for (const termination of [unknown, causeChainOf(2, unknown as never)]) {
      expect(category(termination)).toBe('fatal');
      expect(outcome(termination)).toBe('failed');
      expect(isOpen(termination)).toBe(true);
      expect(nextAction(termination)).toBe('Have an operator look at it before it is run again.');
    }
    expect(family(unknown)).toBe('extension');
    expect(describe(unknown)).toBe('Ended as billing.reconciled, a kind that is not registered here.');
    expect(describe(causeChainOf(2, unknown as never))).toContain('billing.reconciled, a kind that is not registered');
    expect(describe({ kind: 'gateway\u001b.down', reason: 'No route.\n' } as Ending)).toBe(
      'Ended as gateway .down, a kind that is not registered here: No route.',
    );
  });
});

suite('sentences', () => {
  it('are one line that closes, whatever the evidence contains', () => {
    fc.assert(
      fc.property(arbitraryTermination, (t) => {
        expect(describe(t)).toMatch(/^\P{Cc}*[.?!]$/u);
        expect(nextAction(t)).toMatch(/^[A-Z]\P{Cc}+[.?!]$/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it('flatten line breaks and terminal escapes of names and messages', () => {
    const t = terminations.halted({ by: { type: 'tool', name: 'a\nb' }, reason: 'red \u001b[31malert\r\n now.' });
    expect(describe(t)).toBe('The tool a b halted the run: red [31malert now.');
  });

  it('stay readable when the evidence is huge', () => {
    const t = terminations.failed({
      error: { name: 'Error', message: 'x'.repeat(1_000_000) },
      origin: 'tool',
      errorClass: 'unknown',
    });
    expect(describe(t)).toBe(`Failed in a tool with Error: ${'x'.repeat(300)}….`);
    const names = Array.from({ length: 10_000 }, (_, index) => `criterion-${index}`);
    expect(describe(terminations.criteriaUnmet({ criteria: names }))).toBe(
      'The work settled with unmet criteria: criterion-0, criterion-1, criterion-2 and 9,997 more.',
    );
    const endless = terminations.toolCalled({ tool: 'y'.repeat(1_000_000) });
    expect(describe(endless).length).toBeLessThan(2_100);
  });

  const bare: readonly (readonly [Termination, string])[] = [
    [terminations.skipped(), 'Skipped.'],
    [terminations.pluginRequested({ plugin: 'audit' }), 'The plugin audit finished the run.'],
    [terminations.criteriaMet({ criteria: [] }), 'All criteria are met.'],
    [terminations.criteriaUnmet({ criteria: [] }), 'The work settled with unmet criteria.'],
    [
      terminations.loopDetected({ cycle: [], repeats: 2 }),
      'Caught in a loop: the same calls came 2 times in a row with the same results.',
    ],
    [terminations.gatePending({ gates: [] }), 'Waiting at 0 gates.'],
    [terminations.custom({ reason: ' ', category: 'fatal' }), 'Ended for an unstated reason.'],
    [terminations.indeterminate({ candidates: [] }), 'The source does not say why it ended.'],
    [terminations.cancelled({ by: 'caller' }), 'Cancelled by the caller.'],
    [terminations.cancelled({ by: 'signal', reason: 'SIGTERM' }), 'Cancelled by a signal to the process: SIGTERM.'],
    [terminations.providerFailed({ attempts: 1 }), 'The call to the provider failed after 1 attempt.'],
    [terminations.promptTooLong(), 'The prompt is too long for the model.'],
    [terminations.promptTooLong({ limit: 9 }), 'The prompt is too long for the model, which takes 9 tokens.'],
    [terminations.promptTooLong({ used: 9 }), 'The prompt is too long for the model: 9 tokens.'],
    [terminations.outputTruncated({ reason: 'length' }), 'The answer was cut off at the output limit.'],
    [
      terminations.outputTruncated({ reason: 'length', cap: 1 }),
      'The answer was cut off at the output limit of 1 token.',
    ],
    [terminations.schemaValidation({ violations: [], received: 1 }), 'The output does not fit its schema.'],
    [terminations.completed({ check: 'iteration' }), 'The goal was reached, as checked after an iteration.'],
    [
      terminations.abandoned({ lastSeenAt: '2026-03-01T00:00:00Z' }),
      'Abandoned: nothing has been heard from its process since 2026-03-01T00:00:00Z.',
    ],
  ];

  it.each(bare)('make do with little evidence: %o', (t, sentence) => {
    expect(describe(t)).toBe(sentence);
  });

  it('name the cause of a parent that cancelled, but not a whole chain of cancellations', () => {
    const cancelled = terminations.cancelled({ by: 'operator' });
    expect(describe(terminations.cancelled({ by: 'parent', cause: cancelled }))).toBe(
      'Cancelled by its parent, which was cancelled itself.',
    );
    expect(describe(terminations.cancelled({ by: 'parent', cause: causeChainOf(2, cancelled) }))).toBe(
      'Cancelled by its parent, which was cancelled itself.',
    );
    expect(describe(terminations.cancelled({ by: 'parent', cause: causeChainOf(1, samples.no_route) }))).toBe(
      'Cancelled by its parent, which ended: level-1 failed: No route of the step classify applies to its output.',
    );
  });

  it('use the words of a third-party kind, and plain ones where it has none', () => {
    expect(describe(reconciled({ findings: 3 }), registry)).toBe('The books agree, with 3 findings.');
    expect(nextAction(reconciled({ findings: 3 }), registry)).toBe('Nothing to do: use the output.');
    expect(describe(throttled({ retryAfterMs: 1 }), registry)).toBe('Ended as gateway.throttled.');
    expect(nextAction(throttled({ retryAfterMs: 1 }), registry)).toBe('Try again later.');
  });
});

suite('chains of failed children', () => {
  it('are judged without recursion, 10,000 levels deep', () => {
    const t = causeChainOf(10_000, samples.provider_auth);
    expect(category(t)).toBe('fatal');
    expect(outcome(t)).toBe('failed');
    expect(isOpen(t)).toBe(true);
    expect(nextAction(t)).toBe('Supply valid credentials for anthropic, then resume.');
    expect(describe(t)).toBe(
      'level-10000 › level-9999 › … › level-2 › level-1 failed: The provider anthropic refused the credentials (HTTP 401).',
    );
  });

  it('may alternate with cancellations 10,000 levels deep', () => {
    let t: Termination = samples.natural_end;
    for (let level = 0; level < 5_000; level += 1) t = { kind: 'cancelled', by: 'parent', cause: causeChainOf(1, t) };
    expect(category(t)).toBe('cancelled');
    expect(describe(t)).toBe('Cancelled by its parent, which was cancelled itself.');
    expect(describe(causeChainOf(1, t))).toBe('level-1 ended: Cancelled by its parent, which was cancelled itself.');
  });

  it('may even come back to themselves', () => {
    const t = circularCause();
    expect(category(t)).toBe('fatal');
    expect(outcome(t)).toBe('failed');
    expect(describe(t)).toBe('outer › inner failed: its chain of causes is a circle.');
    expect(nextAction(t)).toBe('Have an operator look at it before it is run again.');
  });
});
