import { memoryEngine } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { loadWorkflow } from 'fullstop/workflow';
import { describe, expect, it } from 'vitest';
import { Announcements } from './announcements.js';
import { NodeNames } from './node-names.js';
import { transitionsOf } from './transitions.js';

const file = `workflow: { name: write, entry_point: draft }
agents:
  - { name: draft, prompt: "Write {{ workflow.input.topic }}", routes: [{ to: $end }] }
`;

describe('announcements of steps', () => {
  it('count each visit, and none that has ended already', () => {
    const announcements = new Announcements();
    expect(announcements.announce('page')).toBe(true);
    announcements.end('page');
    announcements.leave('page');
    expect(announcements.announce('page')).toBe(true);
    announcements.beginSegment();
    announcements.end('page');
    expect(announcements.announce('page')).toBe(false);
    announcements.leave('page');
    expect(announcements.announce('page')).toBe(true);
  });

  it('of a later segment leave a step ended that failed before and has succeeded now', async () => {
    const engine = memoryEngine();
    const flow = (model: ReturnType<typeof scriptedModel>) =>
      loadWorkflow('/flow.yaml', { model, readFile: () => file } as never);
    await flow(scriptedModel([{ error: { status: 401 } } as never])).run({ topic: 'x' }, { engine, runId: 'r_again' });
    await flow(scriptedModel([{ text: 'done' }])).resume('r_again', { engine });
    const journal = await engine.journal('r_again');
    expect(journal.filter(({ type }) => type === 'segment_ended').map(({ segment }) => segment)).toEqual([1, 2]);
    const states = transitionsOf(journal, new NodeNames()).filter(({ path }) => path === 'draft');
    expect(states.some(({ to, category }) => to === 'ended' && category !== 'success')).toBe(true);
    expect(states.at(-1)).toMatchObject({ to: 'ended', category: 'success' });
  });
});
