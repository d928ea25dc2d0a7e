import { expect, it } from 'vitest';
import { runsTable } from '../render/runs-table.js';
import { whyMarkdown } from '../render/why-markdown.js';
import { whyText } from '../render/why-text.js';
import { makeStyle } from '../terminal/style.js';
import { explainDamage } from './explain-damage.js';

const summary = {
  runId: 'r_1',
  name: 'triage',
  version: '1',
  state: 'ended',
  segment: 1,
  startedAt: 0,
  updatedAt: 0,
  kind: 'natural_end',
  category: 'success',
  outcome: 'succeeded',
  summary: 'All is well.',
} as const;
const damage = { seq: 7, reason: 'entry 7 does not fit its hash' };

it('says where a journal is broken and what to do, and tells nothing of what it says', () => {
  const explanation = explainDamage({ summary, damage });
  const text = whyText(explanation, { style: makeStyle(false), columns: 100, now: 0 });
  expect(text).toContain('Its journal is broken at entry 7: entry 7 does not fit its hash.');
  expect(text).toContain('damaged · triage · r_1');
  expect(text).toContain('fullstop verify --all');
  expect(text).not.toContain('All is well');
  expect(whyMarkdown(explanation)).toContain('❌ Its journal is broken at entry 7');
});

it('shows no success in a list of runs for one that cannot be trusted', () => {
  const table = runsTable([{ run: { ...summary, damage }, depth: 0 }], {
    style: makeStyle(false),
    columns: 200,
    now: 0,
  });
  expect(table).toContain('damaged');
  expect(table).toContain('entry 7 does not fit its hash');
  expect(table).not.toContain('natural_end');
});
