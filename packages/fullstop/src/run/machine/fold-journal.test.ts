import { expect, it } from 'vitest';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { foldJournal } from './fold-journal.js';
import type { Machine, MachineObservation } from './machine.js';

/** A question beside one step after the other, as many as the journal has. */
const machine: Machine<readonly MachineObservation[], string, undefined> = {
  init: () => [],
  decide: (seen) => ({
    type: 'perform',
    effects: [
      { type: 'request', key: 'ask', request: { id: 'ok', type: 'approval' } },
      { type: 'step', key: `step ${seen.length}`, plan: '' },
    ],
  }),
  apply: (seen, observation) => [...seen, observation],
};

function entry(seq: number, at: number, rest: object): JournalEntry {
  return { runId: 'r', segment: 1, seq, scope: '', at, ...rest } as unknown as JournalEntry;
}

it('dates an answer that was given before it was received when the unit has it, as a run does', () => {
  const answer = { requestId: 'ok', decision: 'approve', at: 10 };
  const journal = [
    entry(1, 0, { type: 'run_started', ordinal: -1, data: {} }),
    entry(2, 1, { type: 'request_opened', ordinal: 0, key: 'request:ok', data: { request: { id: 'ok' } } }),
    entry(3, 12, { type: 'step_ended', ordinal: 1, key: 'step 0', data: { ok: true, attempts: 1 } }),
    entry(4, 10, { type: 'request_answered', ordinal: 0, key: 'request:ok', data: { answer } }),
    entry(5, 20, { type: 'step_ended', ordinal: 2, key: 'step 1', data: { ok: true, attempts: 1 } }),
  ];
  expect(foldJournal(machine, undefined, journal).map(({ key, at }) => [key, at])).toEqual([
    ['step 0', 12],
    ['ask', 12],
    ['step 1', 20],
  ]);
});
