import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { blocked, criterion, met, unmet } from './options/criterion.js';
import { acceptance } from './options/invariant.js';
import { suggestor } from './options/suggestor.js';

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

  it('waits for a person where one is needed, then continues with references and a note and asks again', async () => {
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

  it.each<[string, object, RegExp]>([
    [
      'a reference that nobody waits for',
      { settled: ['sig-l'] },
      /settled names "sig-l", .* there are "signed", "sig-1"/,
    ],
    ['a text for a list', { settled: 'sig-1' }, /resume: settled is "sig-1"; it must be a list of references/],
    ['a number', { settled: [5] }, /resume: settled is a list; it must be a list of references/],
    ['a note without what it is about', { note: 'done' }, /a note needs what it settles/],
    ['a note that is no text', { settled: ['sig-1'], note: 5 }, /resume: note is 5; it must be a text/],
    ['facts that are no list', { facts: 'letter' }, /resume: facts is "letter"; it must be a list/],
    ['no fact', { facts: [null] }, /A fact is null/],
    ['no budgets', { budgets: null }, /budgets is null; it must be an object/],
  ])('refuses %s, and changes nothing', async (_, options, message) => {
    const signed = criterion('signed', ({ isSettled }) => isSettled('sig-1') || blocked('not signed', 'sig-1'));
    const engine = memoryEngine();
    const convergence = defineConvergence({ suggestors: [], intent: { criteria: [signed] } });
    await convergence.run(undefined, { engine, runId: 'r' });
    const before = (await engine.journal('r')).length;
    const refused = convergence.resume('r', { engine, ...options });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect(await engine.journal('r')).toHaveLength(before);
  });

  it('can be settled by its own id, where it names no reference', async () => {
    const signed = criterion('signed', ({ isSettled }) => isSettled('signed') || blocked('not signed'));
    const first = await defineConvergence({ suggestors: [], intent: { criteria: [signed] } }).run();
    expect(first.termination).toMatchObject({ kind: 'human_intervention_required', approvalRefs: [] });
    const done = await first.resume({ settled: ['signed'], note: 'on paper' });
    expect(done.termination).toEqual({ kind: 'criteria_met', criteria: ['signed'] });
    expect(done.settlements).toMatchObject([{ ref: 'signed', note: 'on paper' }]);
  });

  it('cannot be settled where nothing waits for it', async () => {
    const refusing = suggestor('refusing', { execute: ({ refuse }) => refuse('no') });
    const first = await defineConvergence({ suggestors: [refusing], intent: { criteria: [two] } }).run();
    const early = first.resume({ settled: ['sig-1'] });
    await expect(early).rejects.toThrow(/settled names "sig-1", but no criterion waits for a person/);
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
