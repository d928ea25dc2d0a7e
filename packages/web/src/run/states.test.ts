import { describe, expect, it } from 'vitest';
import { unpackTransitions } from '../../../cli/src/dashboard/view/packed-transitions.js';
import { runView as projectRun } from '../../../cli/src/dashboard/view/run-view.js';
import { pipelineRecord, workflowRecord } from '../../../cli/src/dashboard/view/view-records.fixture.js';
import { approvalRecord, countingRecord, loopRecord } from '../../../cli/src/why/records.fixture.js';
import { statesAt, toneOf, wordOf } from './states.js';

/** The page of a run, as its reader has it. */
function runView(...given: Parameters<typeof projectRun>) {
  const view = projectRun(...given);
  return { ...view, transitions: unpackTransitions(view.transitions) };
}

describe('statesAt', () => {
  it('leaves nothing running after the ending, in runs of every body', async () => {
    for (const make of [workflowRecord, pipelineRecord, loopRecord, () => countingRecord({ gated: true })]) {
      const { transitions, head } = runView(await make());
      const words = [...statesAt(transitions, { at: head.seq }).values()].map(({ to }) => to);
      expect(words).not.toContain('running');
      expect(words).not.toContain('waiting');
    }
  });

  it('is the same at an entry, whether later transitions are known or not', async () => {
    const { transitions, head } = runView(await workflowRecord());
    for (let at = 1; at <= head.seq; at += 1) {
      const known = transitions.filter(({ seq }) => seq <= at);
      expect(statesAt(transitions, { at })).toEqual(statesAt(known, { at }));
    }
  });

  it('counts the members of a group as they end, and begins anew', async () => {
    const { transitions } = runView(await workflowRecord());
    const ends = transitions.filter(({ path, to }) => /^each\[\d\]$/.test(path) && to === 'ended');
    expect(ends.map(({ seq }) => statesAt(transitions, { at: seq }).get('each')?.done)).toEqual([1, 2, 3]);
    const begin = transitions.find(({ path }) => path === 'each');
    expect(statesAt(transitions, { at: begin?.seq ?? 0 }).get('each')?.done).toBe(0);
  });

  it('keeps what waits for a person as waiting while the run is paused', async () => {
    const { transitions, head } = runView(await approvalRecord());
    const states = statesAt(transitions, { at: head.seq });
    expect(toneOf(states.get('@tool search'))).toBe('waiting');
  });

  it('does not draw as running what nobody executes', async () => {
    const { transitions } = runView(await loopRecord());
    const cut = transitions.slice(0, 4);
    const at = cut.at(-1)?.seq ?? 0;
    const state = statesAt(cut, { at, isOwnerLost: true }).get('');
    expect([toneOf(state), wordOf(state)]).toEqual(['unknown', 'owner gone']);
  });
});
