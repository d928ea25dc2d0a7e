import { describe, expect, it } from 'vitest';
import { approvalRecord, countingRecord, foreignRecord, loopRecord } from '../../why/records.fixture.js';
import { unpackTransitions } from './packed-transitions.js';
import { runView as projectRun } from './run-view.js';
import { pipelineRecord, workflowRecord } from './view-records.fixture.js';
import { workflowDrawing } from './workflow-drawing.js';

/** The page of a run, as its reader has it. */
function runView(...given: Parameters<typeof projectRun>) {
  const view = projectRun(...given);
  return { ...view, transitions: unpackTransitions(view.transitions) };
}

async function workflowView() {
  const record = await workflowRecord();
  const loaded = await workflowDrawing(record.journal, {});
  return runView(record, { loaded });
}

describe('runView of a workflow', () => {
  it('draws every step of the file, also those that were not reached', async () => {
    const { graph } = await workflowView();
    const shown = graph.nodes.map(({ id, type, parent }) => [id, type, parent ?? '']);
    expect(shown).toEqual(
      expect.arrayContaining([
        ['@start', 'start', ''],
        ['plan', 'set', ''],
        ['praise', 'terminate', ''],
        ['fan', 'parallel', ''],
        ['fan.left', 'set', 'fan'],
        ['fan.write', 'agent', 'fan'],
        ['each', 'for_each', ''],
        ['each[2]', 'agent', 'each'],
        ['sub', 'workflow', ''],
        ['sub/one', 'set', 'sub'],
        ['sub/two/@model', 'model', 'sub/two'],
        ['sub/@end', 'end', 'sub'],
      ]),
    );
    // The one is only a member, and no route of this file leads to the other.
    expect(shown.map(([id]) => id)).not.toEqual(expect.arrayContaining(['left']));
    expect(shown.map(([id]) => id)).not.toEqual(expect.arrayContaining(['@end']));
  });

  it('shows terminate steps with the reason as it was rendered, or as the file has it', async () => {
    const { graph } = await workflowView();
    const ends = Object.fromEntries(graph.nodes.map(({ id, terminate }) => [id, terminate]));
    expect(ends['stop']).toEqual({
      status: 'failed',
      reason: 'The old <b>report</b> is not good enough',
      rendered: true,
    });
    expect(ends['praise']).toEqual({ status: 'success', reason: 'Nothing to do', rendered: false });
  });

  it('marks the route that was taken with the values that decided it, and keeps the others with their conditions', async () => {
    const { graph } = await workflowView();
    const [praise, fan, stop] = graph.edges.filter(({ from }) => from === 'plan');
    expect(praise).toMatchObject({ to: 'praise', condition: '{{ plan.output.score > 7 }}', taken: [] });
    expect(fan).toMatchObject({ to: 'fan', taken: [expect.any(Number)], values: { 'plan.output.score': 4 } });
    expect(stop).toMatchObject({ to: 'stop', taken: [] });
    expect(graph.nodes.find(({ id }) => id === 'plan')?.output).toBe('{"score": 4}');
  });

  it('counts the members of groups', async () => {
    const { graph } = await workflowView();
    const groups = Object.fromEntries(graph.nodes.map(({ id, group }) => [id, group]));
    expect(groups['fan']).toEqual({ done: 2, total: 2 });
    expect(groups['each']).toEqual({ done: 3, total: 3 });
  });

  it('says in its banner which step ended it and why', async () => {
    const { banner } = await workflowView();
    expect(banner).toMatchObject({
      tone: 'failed',
      title: 'Workflow Terminated',
      explicit: { by: 'stop', status: 'failed', reason: 'The old <b>report</b> is not good enough' },
    });
  });

  it('leaves no node running behind its ending', async () => {
    const { transitions } = await workflowView();
    const last = new Map(transitions.map(({ path, to }) => [path, to]));
    expect([...last].filter(([, to]) => to === 'running' || to === 'waiting')).toEqual([]);
  });

  it('draws what happened where the files no longer load', async () => {
    const record = await workflowRecord();
    const view = runView(record);
    expect(view.withoutFile).toBe(true);
    expect(view.graph.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['plan', 'fan.write', 'sub']));
  });

  it('returns only what is new after an entry', async () => {
    const record = await workflowRecord();
    const { transitions, head } = runView(record);
    const after = head.seq - 3;
    expect(runView(record, { after }).transitions).toEqual(transitions.filter(({ seq }) => seq > after));
  });
});

describe('runView of programs of one’s own', () => {
  it('draws the loop of an agent, with how often each tool was called', async () => {
    const { graph, banner, body, tabs } = runView(await loopRecord());
    expect(body).toBe('agent');
    expect(graph.nodes.map(({ id }) => id)).toEqual(['@start', '@model', '@tool search', '@end']);
    expect(graph.edges.find(({ to }) => to === '@tool search')?.taken).toHaveLength(4);
    expect(banner).toMatchObject({ tone: 'stopped', title: 'Stopped: loop detected' });
    expect(tabs).toContain('conversation');
  });

  it('draws a convergence with its suggestors, and its segments', async () => {
    const { graph, segments, tabs, banner } = runView(await countingRecord({ gated: true }));
    expect(graph.nodes.map(({ id, label }) => [id, label])).toEqual([
      ['@start', 'input'],
      ['@facts', '7 facts · cycle 6'],
      ['@suggestor counter', 'counter'],
      ['@end', 'end'],
    ]);
    expect(segments).toMatchObject([
      { segment: 1, kind: 'gate_pending' },
      { segment: 2, because: 'answer', kind: 'converged' },
    ]);
    expect(tabs).toContain('facts');
    expect(banner.title).toBe('Completed');
  });

  it('draws the stages of a pipeline in order, with the one that was skipped', async () => {
    const { graph, transitions, links } = runView(await pipelineRecord());
    const edges = graph.edges.map(({ from, to }) => `${from} > ${to}`);
    expect(edges).toEqual(expect.arrayContaining(['@start > fetch', 'fetch > spell', 'spell > print', 'print > @end']));
    expect(transitions.find(({ path, to }) => path === 'spell' && to === 'skipped')).toMatchObject({ kind: 'skipped' });
    expect(links.map(({ path, kind }) => [path, kind])).toEqual([
      ['', 'child_failed'],
      ['print', 'failed'],
    ]);
  });

  it('shows a tool that waits for an approval as waiting, and the run as waiting for you', async () => {
    const { transitions, banner } = runView(await approvalRecord());
    expect(transitions.findLast(({ path }) => path === '@tool search')?.to).toBe('waiting');
    expect(banner).toMatchObject({ tone: 'waiting', title: 'Waiting for you' });
  });

  it('tells the evidence of a kind that only its own program knows', async () => {
    const { units, banner } = runView(await foreignRecord());
    const ending = units.find(({ path }) => path === 'unit')?.ending;
    expect(ending).toMatchObject({
      kind: 'app.overloaded',
      known: false,
      sentence: 'Ended as app.overloaded: load = 7.',
    });
    expect(banner).toMatchObject({ tone: 'stopped', title: 'Stopped: app.overloaded' });
  });

  it('says of a run whose owner died that nobody executes it', async () => {
    const { summary, journal, requests } = await loopRecord();
    const cut = journal.slice(0, -1);
    const record = { summary: { ...summary, state: 'running' as const, orphaned: true }, journal: cut, requests };
    const { banner } = runView({ ...record, ending: undefined });
    expect(banner).toMatchObject({ tone: 'unknown', title: 'Owner gone' });
  });

  it('tells nothing of a damaged run but where it is damaged', async () => {
    const { summary } = await loopRecord();
    const view = runView({ summary, damage: { seq: 7, reason: 'the hash does not fit' } });
    expect(view.banner).toMatchObject({ tone: 'unknown', title: 'Damaged' });
    expect(view.graph.nodes).toEqual([]);
  });
});
