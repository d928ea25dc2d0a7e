import { describe, expect, it } from 'vitest';
import { explainRun } from './explain-run.js';
import {
  approvalRecord,
  askedRecord,
  brokenRecord,
  cancelledRecord,
  childRecord,
  countingRecord,
  foreignRecord,
  limitRecord,
  loopRecord,
  stubbornRecord,
} from './records.fixture.js';

const commandsOf = (explanation: ReturnType<typeof explainRun>) =>
  explanation.next.flatMap(({ command }) => command ?? []);

describe('explainRun', () => {
  it('names the call that came again, how often, and in which iteration', async () => {
    const explanation = explainRun(await loopRecord());
    expect(explanation.headline).toBe('Caught in a loop: search came 4 times in a row with the same results.');
    expect(explanation.because).toEqual([
      'iteration 4 asked for search({"q":"x"}) for the 4th time with the same result',
    ]);
    expect(explanation.did).toEqual(['(model → search) ×4']);
    expect(explanation.counters).toContainEqual({ name: 'tool calls', used: '4' });
    expect(explanation.counters).toContainEqual({ name: 'tokens', used: '3,760' });
    expect(explanation.lastOutput).toEqual({ from: 'the run', value: 'looking' });
    expect(commandsOf(explanation)[0]).toBe('fullstop resume r_loop --guidance "WHAT TO DO DIFFERENTLY"');
  });

  it('shows the limit beside the counter, and a resume with twice as much', async () => {
    const explanation = explainRun(await limitRecord(5));
    expect(explanation.because).toEqual([
      'iteration 5 was the last of 5 that are allowed; the model was still calling search({"q":"x"})',
    ]);
    expect(explanation.counters[0]).toEqual({ name: 'iterations', used: '5', limit: '5' });
    expect(commandsOf(explanation)).toEqual(['fullstop resume r_limit --max-iterations 10']);
    expect(explanation.ending).toMatchObject({ kind: 'max_iterations', category: 'capacity', open: true });
  });

  it('goes down through failed children to the first cause', async () => {
    const { headline, because, tree, did, counters, lastOutput } = explainRun(await childRecord());
    expect(headline).toBe('research failed: Stopped at the limit of 3 iterations (used 3).');
    expect(because).toEqual([
      'iteration 3 was the last of 3 that are allowed; the model was still calling search({"q":"x"})',
    ]);
    expect(counters[0]).toEqual({ name: 'iterations', used: '3', limit: '3' });
    expect(did).toEqual(['fetch', 'good', 'research']);
    expect(tree?.children.map(({ name, kind, isCause, tokens }) => [name, kind, isCause, tokens])).toEqual([
      ['good', 'natural_end', false, 0],
      ['research', 'max_iterations', true, 2820],
    ]);
    expect(lastOutput).toEqual({ from: 'the run', value: { partial: true } });
  });

  it.each([
    [
      { cycles: 3 },
      'cycle 3 was the last of 3 that are allowed; counter still had something to add',
      { name: 'cycles', used: '3', limit: '3' },
    ],
    [
      { facts: 4 },
      'the merge of cycle 4 found room for 0 of 1 new fact; 4 are allowed in all',
      { name: 'facts', used: '4', limit: '4' },
    ],
    [
      { tokens: 250 },
      'cycle 3 brought the total to 300 tokens; the limit is 250',
      { name: 'tokens', used: '300', limit: '250' },
    ],
  ])('says which budget of a convergence was crossed at which cycle: %j', async (budgets, because, counter) => {
    const explanation = explainRun(await countingRecord({ budgets }));
    expect(explanation.because).toEqual([because]);
    expect(explanation.counters).toContainEqual(counter);
    expect(explanation.did).toEqual([`counter ×${'facts' in budgets ? 4 : 3}`]);
  });

  it.each([false, true])(
    'has no guidance for a convergence that goes round in circles, in a stage: %s',
    async (inStage) => {
      const explanation = explainRun(await stubbornRecord({ inStage }));
      expect(explanation.headline).toContain('Caught in a loop: stubborn');
      expect(explanation.next[0]).toEqual({
        text: 'Its own program can steer it with new facts, resume(runId, { facts }); unchanged it may reach the same ending',
        command: 'fullstop resume r_stubborn',
      });
    },
  );

  it('says what a run waits for and how to answer', async () => {
    const explanation = explainRun(await approvalRecord());
    expect(explanation.waiting).toMatchObject([{ id: 'call_7', type: 'approval' }]);
    expect(explanation.waiting[0]?.question).toContain('search({"q":"x"})');
    expect(commandsOf(explanation)).toEqual([
      'fullstop answer r_approval call_7 --approve',
      'fullstop cancel r_approval',
    ]);
  });

  it('shows the evidence of kinds that it never saw, of the run and of its units', async () => {
    const explanation = explainRun(await foreignRecord());
    expect(explanation.ending).toMatchObject({ kind: 'app.overloaded', category: 'capacity', open: true });
    expect(explanation.because).toEqual(['load = 9', 'queue = ["a"]']);
    expect(explanation.tree?.children[0]).toMatchObject({
      kind: 'app.overloaded',
      summary: 'Ended as app.overloaded: load = 7.',
    });
    expect(commandsOf(explanation)).toEqual(['fullstop resume r_own']);
  });

  it('names the step that failed, and how often it was tried', async () => {
    expect(explainRun(await brokenRecord()).because).toEqual([
      'step fetch failed after 2 attempts: no [31mred network',
    ]);
  });

  it('says who asked a run to stop', async () => {
    const { because } = explainRun(await cancelledRecord());
    expect(because).toHaveLength(1);
    expect(because[0]).toMatch(/^the operator asked for it at .*: wrong ticket$/);
  });

  it('counts the time of a unit as the run counts its own: while someone was asked, nobody worked', async () => {
    const { durationMs, tree } = explainRun(await askedRecord());
    expect([durationMs, tree?.children.map((unit) => unit.durationMs)]).toEqual([300, [300]]);
  });
});
