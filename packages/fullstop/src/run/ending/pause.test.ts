import { describe, expect, test } from 'vitest';
import type { OpenRequest } from '../../engines/port/request.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { checkDeadline, pauseOf } from './pause.js';

const gate: OpenRequest = {
  id: 'g',
  type: 'gate',
  path: 'a',
  openedAt: 1,
  deadline: 0,
  gate: { proposalId: 'p', cycle: 2 },
};
const approval: OpenRequest = {
  id: 'x',
  type: 'approval',
  path: '',
  openedAt: 1,
  tool: 't',
  input: { n: 1 },
  summary: 'not shown',
};

describe('pauseOf', () => {
  test('is gate_pending when only gates are open, with what the gate should show', () => {
    const deadline = '1970-01-01T00:00:00.000Z';
    expect(pauseOf([gate])).toEqual({
      kind: 'gate_pending',
      gates: [{ gateId: 'g', path: 'a', summary: 'g', proposalId: 'p', cycle: 2, deadline }],
    });
  });

  test('lists gates too when anything else is open', () => {
    const { kind, requests } = pauseOf([gate, approval]) as unknown as { kind: string; requests: readonly object[] };
    expect(kind).toBe('interaction_pending');
    expect(requests).toEqual([
      { id: 'g', path: 'a', type: 'gate', deadline: '1970-01-01T00:00:00.000Z' },
      { id: 'x', path: '', type: 'approval', tool: 't', input: { n: 1 } },
    ]);
  });
});

describe('checkDeadline', () => {
  test('refuses what is no instant', () => {
    expect(() => checkDeadline('ok', 1e20)).toThrow('"ok" is 100000000000000000000');
    expect(() => checkDeadline('ok', '2026' as never)).toThrow('"ok" is "2026"; it must be an instant');
    expect(() => checkDeadline('ok', null as never)).toThrow('"ok" is null');
    expect(() => checkDeadline('ok', Date.now())).not.toThrow();
    expect(() => checkDeadline('ok', undefined)).not.toThrow();
  });
});

describe('a run that pauses again', () => {
  test('lists requests in the order in which they were opened, not in which the replayed body reached them', async () => {
    // Stays as it is when the body is replayed, which then comes to the second question at once.
    let firstIsAsked = (): void => undefined;
    const afterFirst = new Promise<void>((resolve) => {
      firstIsAsked = resolve;
    });
    const asks = defineRun({
      name: 'asks',
      run: async (context) => {
        const inner = context.child('inner', async (unit) => {
          await unit.step('work', () => new Promise((resolve) => setTimeout(resolve, 5)));
          const answered = unit.wait({ id: 'first', type: 'approval' });
          firstIsAsked();
          await answered;
          return terminations.naturalEnd();
        });
        await afterFirst;
        const ask = (id: string) => context.wait({ id, type: 'approval' });
        await Promise.all([ask('second'), ask('third'), inner]);
        return terminations.naturalEnd();
      },
    });
    const paused = await asks.run(undefined);
    expect(paused.termination).toMatchObject({ requests: [{ id: 'first' }, { id: 'second' }, { id: 'third' }] });
    const again = await paused.resume({ answers: { third: { decision: 'approve' } } });
    expect(again.termination).toMatchObject({ requests: [{ id: 'first' }, { id: 'second' }] });
  });
});
