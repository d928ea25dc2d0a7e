import { describe, expect, it } from 'vitest';
import { defineConvergence } from '../convergence/define-convergence.js';
import { fact } from '../convergence/facts/fact.js';
import { blocked, criterion } from '../convergence/options/criterion.js';
import { suggestor } from '../convergence/options/suggestor.js';
import { terminations } from '../termination/terminations.js';
import { continueOnFailure, fallback, retry } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { ending } from './runnable.fixture.js';

const signature = terminations.humanInterventionRequired({ criteria: ['signed'], approvalRefs: ['sig-1'] });
const waiting = using(ending({ termination: signature }), () => ({}));
const asksElsewhere = using(
  ending({ termination: terminations.custom({ reason: 'ask the bank', category: 'paused' }) }),
  () => ({}),
);

describe('a pause for a person', () => {
  it.each([
    ['fallback', fallback(waiting, () => 'something else')],
    ['fallback of an own paused ending', fallback(asksElsewhere, () => 'something else')],
    ['retry', retry(waiting, { attempts: 3, when: () => true })],
    ['continueOnFailure', continueOnFailure(waiting)],
    ['several of them', continueOnFailure(fallback(retry(waiting, { when: () => true }), () => 'something else'))],
  ])('is not routed around by %s', async (_, work) => {
    const result = await pipeline('p')
      .stage('ask', work)
      .stage('next', () => 'reached')
      .run();
    expect(result.category).toBe('paused');
    expect(result.stages.map(({ outcome }) => outcome)).toEqual(['paused', 'skipped']);
  });

  it('is not tried again', async () => {
    const asking = ending({ termination: signature });
    const again = retry(
      using(asking, () => 'asked'),
      { attempts: 3, when: () => true },
    );
    await pipeline('p').stage('ask', again).run();
    expect(asking.inputs).toEqual(['asked']);
  });

  it('is not routed around by an optional suggestor', async () => {
    const asking = ending({ termination: signature });
    const optional = suggestor('optional', {
      use: { ...asking, run: async () => signature },
      input: () => 'asked',
      propose: () => undefined,
      optional: true,
    });
    const result = await defineConvergence({ suggestors: [optional] }).run();
    expect(result.termination).toMatchObject({ kind: 'child_failed', termination: signature });
    expect(result.category).toBe('paused');
  });

  it('is not routed around by an advisory stage', async () => {
    const result = await pipeline('p')
      .stage('ask', waiting, { disposition: 'advisory' })
      .stage('next', () => 'reached')
      .run();
    expect(result.termination).toMatchObject({ kind: 'child_failed', termination: signature });
    expect(result.category).toBe('paused');
    expect(result.stage('next').termination).toEqual({ kind: 'skipped', because: 'not_reached' });
  });

  it('is ended by the person through the pipeline, and the stages after it run then', async () => {
    const signed = criterion('signed', ({ isSettled }) => isSettled('sig-1') || blocked('not signed', 'sig-1'));
    const contract = defineConvergence({ name: 'contract', suggestors: [], intent: { criteria: [signed] } });
    const flow = pipeline('p')
      .stage(
        'sign',
        fallback(
          using(contract, () => ({})),
          () => 'unsigned',
        ),
      )
      .stage('send', () => 'sent');
    const first = await flow.run();
    expect(first.category).toBe('paused');
    await expect(first.resume({ settled: ['sig-2'] })).rejects.toThrow(
      /settled names "sig-2", which nobody waits for .*; there are "signed", "sig-1"/,
    );
    await expect(first.resume({ note: 'on paper' })).rejects.toThrow(/a note needs what it settles/);
    const done = await first.resume({ settled: ['sig-1'], note: 'on paper', by: 'maria' });
    expect(done.termination).toEqual({ kind: 'flow_completed', last: 'send' });
    expect(done.stage('sign').termination).toEqual({ kind: 'criteria_met', criteria: ['signed'] });
  });
});

describe('the budgets of a convergence inside a pipeline', () => {
  const counting = suggestor('counting', {
    accepts: ({ facts }) => facts.size < 4,
    execute: ({ facts, propose }) => propose('count', { n: facts.size }, { id: `c${facts.size}` }),
  });

  it.each([
    ['cycles', { cycles: 2 }, { cycles: 9 }, 'cycle_budget'],
    ['facts', { facts: 2 }, { facts: 9 }, 'fact_budget'],
  ])('are raised by a resume: %s', async (name, budgets, more, kind) => {
    const inner = defineConvergence({ name: 'counts', suggestors: [counting], budgets });
    const flow = pipeline('p').stage(
      'count',
      using(inner, () => ({})),
      { limits: { timeMs: 60_000 } },
    );
    const first = await flow.run();
    expect(first.stage('count').termination).toMatchObject({ kind });
    await expect(first.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    await expect(first.resume({ budgets })).rejects.toThrow(`budgets: { ${name}: … } above 2`);
    await expect(first.resume({ budgets: { cycle: 9 } as never })).rejects.toThrow(/no option "cycle".*cycles/);
    await expect(first.resume({ facts: [{ key: 1 }] as never })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    const done = await first.resume({ budgets: more, facts: [fact('late', { n: 0 })] });
    expect(done.termination).toEqual({ kind: 'flow_completed', last: 'count' });
    expect(done.output).toMatchObject({ facts: 4 });
  });

  it('hold where a resume for another unit raises nothing', async () => {
    const inner = defineConvergence({ name: 'counts', suggestors: [counting], budgets: { cycles: 2 } });
    const first = await pipeline('p')
      .stage(
        'count',
        using(inner, () => ({})),
      )
      .run();
    const again = await first.resume({ at: 'count', guidance: 'go on' });
    expect(again.stage('count').termination).toEqual({ kind: 'cycle_budget', limit: 2, used: 2 });
  });

  it('takes a larger token budget, which the run itself knows nothing of', async () => {
    const spending = suggestor('spending', {
      accepts: ({ facts }) => facts.size < 4,
      execute: ({ facts, propose, charge }) => {
        charge({ inputTokens: 10, outputTokens: 0 });
        propose('count', { n: facts.size });
      },
    });
    const inner = defineConvergence({ name: 'spends', suggestors: [spending], budgets: { tokens: 20 } });
    const first = await pipeline('p')
      .stage(
        'spend',
        using(inner, () => ({})),
      )
      .run();
    expect(first.stage('spend').termination).toEqual({ kind: 'token_budget', limit: 20, used: 20 });
    await expect(first.resume({ budgets: { tokens: 20 } })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const done = await first.resume({ budgets: { tokens: 100 } });
    expect(done.termination).toEqual({ kind: 'flow_completed', last: 'spend' });
  });
});
