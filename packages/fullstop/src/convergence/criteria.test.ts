import { describe, expect, it } from 'vitest';
import { blocked, criterion, met, unmet } from './criterion.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './fact.js';
import { acceptance } from './invariant.js';
import { suggestor } from './suggestor.js';

const counter = suggestor('counter', {
  accepts: ({ facts }) => facts.size < 6,
  execute: ({ facts, propose }) => propose('count', { n: facts.size }, { id: `c${facts.size}` }),
});
const two = criterion('two', ({ facts }) => (facts.size >= 2 ? met('count/c1') : unmet('too few')));

describe('criteria', () => {
  it('is asked at rest, or after every cycle and then stops early', async () => {
    const atRest = await defineConvergence({ suggestors: [counter], intent: { criteria: [two] } }).run();
    expect(atRest.termination).toEqual({ kind: 'criteria_met', criteria: ['two'] });
    expect(atRest.facts.size).toBe(6);
    const intent = { criteria: [two], evaluate: 'every_cycle' } as const;
    const early = await defineConvergence({ suggestors: [counter], intent }).run();
    expect(early.termination).toEqual({ kind: 'criteria_met', criteria: ['two'] });
    expect(early.facts.size).toBe(2);
    expect(early.criteria).toEqual([{ id: 'two', required: true, status: 'met', evidence: ['count/c1'] }]);
  });

  it('takes facts for evidence, or their references', async () => {
    const one = criterion('one', ({ facts }) => met(...facts.get('count').slice(0, 1), 'count/c1'));
    const { criteria } = await defineConvergence({ suggestors: [counter], intent: { criteria: [one] } }).run();
    expect(criteria).toEqual([{ id: 'one', required: true, status: 'met', evidence: ['count/c0', 'count/c1'] }]);
  });

  it('reports optional criteria, which decide nothing', async () => {
    const nice = criterion('nice', () => false, { required: false });
    const result = await defineConvergence({ suggestors: [counter], intent: { criteria: [nice, two] } }).run();
    expect(result.termination).toEqual({ kind: 'criteria_met', criteria: ['two'] });
    expect(result.criteria.map(({ id, status }) => [id, status])).toEqual([
      ['nice', 'unmet'],
      ['two', 'met'],
    ]);
  });

  it('names what is unmet, indeterminate included', async () => {
    const criteria = [two, criterion('a', () => false), criterion('b', () => ({ status: 'indeterminate' }))];
    const { termination } = await defineConvergence({ suggestors: [counter], intent: { criteria } }).run();
    expect(termination).toEqual({ kind: 'criteria_unmet', criteria: ['a', 'b'] });
  });

  it('waits for a person where one is needed, then goes on with references and a note and asks again', async () => {
    const signed = criterion('signed', ({ isSettled }) => isSettled('sig-1') || blocked('not signed', 'sig-1'));
    const open = criterion('open', ({ facts }) => facts.has('letter'));
    const convergence = defineConvergence({ suggestors: [counter], intent: { criteria: [signed, open] } });
    const first = await convergence.run();
    expect(first.termination).toEqual({
      kind: 'human_intervention_required',
      criteria: ['signed'],
      approvalRefs: ['sig-1'],
    });
    expect(first.category).toBe('paused');
    // What is unmet may follow from what is blocked, so it is only told beside it.
    expect(first.also).toEqual([{ kind: 'criteria_unmet', criteria: ['open'] }]);
    const again = await first.resume();
    expect(again.termination).toEqual(first.termination);
    const settled = await again.resume({ settled: ['sig-1'], note: 'on paper', by: 'maria' });
    expect(settled.termination).toEqual({ kind: 'criteria_unmet', criteria: ['open'] });
    expect(settled.settlements).toMatchObject([{ ref: 'sig-1', note: 'on paper', by: 'maria' }]);
    const done = await settled.resume({ facts: [fact('letter', { sent: true })] });
    expect(done.termination).toEqual({ kind: 'criteria_met', criteria: ['signed', 'open'] });
  });

  it('is not met by facts that break an acceptance rule', async () => {
    const { termination, also } = await defineConvergence({
      suggestors: [counter],
      intent: { criteria: [two], evaluate: 'every_cycle' },
      invariants: [acceptance('odd', (facts) => facts.size % 2 === 1)],
    }).run();
    expect(termination).toMatchObject({ kind: 'invariant_violated', class: 'acceptance', name: 'odd' });
    expect(also).toEqual([]);
  });

  it('needs one that is required', () => {
    const intent = { criteria: [criterion('x', () => true, { required: false })] };
    expect(() => defineConvergence({ suggestors: [], intent })).toThrow(/at least one required/);
  });
});
