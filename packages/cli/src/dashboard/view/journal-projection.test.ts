import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unitTree } from '../../journal/unit-tree.js';
import { countingRecord, loopRecord } from '../../why/records.fixture.js';
import { JournalProjection, transitionsAfter } from './journal-projection.js';
import { pipelineRecord, workflowRecord } from './view-records.fixture.js';

const records = [workflowRecord, pipelineRecord, loopRecord, () => countingRecord({ gated: true })];

describe('JournalProjection', () => {
  it('is the same, in whatever parts its journal comes', async () => {
    for (const make of records) {
      const { journal } = await make();
      const whole = new JournalProjection(journal);
      expect(whole.root).toEqual(unitTree(journal));
      fc.assert(
        fc.property(fc.array(fc.nat({ max: journal.length }), { maxLength: 6 }), (places) => {
          const grown = new JournalProjection([]);
          for (const end of [...places.sort((left, right) => left - right), journal.length])
            grown.grow(journal.slice(0, end));
          expect(grown.root).toEqual(whole.root);
          expect(grown.transitions).toEqual(whole.transitions);
        }),
        { numRuns: 20 },
      );
    }
  });

  it('has the transitions after any entry', async () => {
    const { journal } = await workflowRecord();
    const { transitions } = new JournalProjection(journal);
    for (let after = 0; after <= journal.length; after += 1)
      expect(transitionsAfter(transitions, after)).toEqual(transitions.filter(({ seq }) => seq > after));
  });
});
