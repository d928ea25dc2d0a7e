import type { StoreEngine } from 'fullstop/engines/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DashboardPlace } from '../dashboard.fixture.js';
import { type RunPages, runPages } from './run-pages.js';
import { rowMaker } from './run-row.js';

const gate = `workflow: {name: gate, entry_point: review}
agents:
  - name: review
    type: human_gate
    prompt: May it?
    options: [{label: "Yes", value: "yes", route: $end}]
`;

describe('the pages of runs', () => {
  let place: DashboardPlace;
  let pages: RunPages;
  /** The journals that were read from the beginning. */
  let read: string[];
  /** Called when the open requests of a run were read. */
  let meanwhile: () => Promise<unknown>;
  beforeEach(async () => {
    read = [];
    meanwhile = () => Promise.resolve();
    place = await DashboardPlace.open();
    await place.run(gate, { runId: 'r_gate' });
    const { engine } = place.store;
    const counted: StoreEngine = {
      ...engine,
      readVerified: (runId, follow) => {
        read.push(runId);
        return engine.readVerified(runId, follow);
      },
      openRequests: async (runId) => {
        const requests = await engine.openRequests(runId);
        await meanwhile();
        return requests;
      },
    };
    pages = runPages({ engine: counted, rows: rowMaker({ engine: counted }), env: {} });
  });
  afterEach(() => place.close());

  it('are read once, however many ask, and begin with the address', async () => {
    pages.prepare('/runs/r_gate/journal');
    const [first, second] = await Promise.all([pages.pageOf('r_gate', 0), pages.pageOf('r_gate', 0)]);
    expect(first.row.runId).toBe('r_gate');
    expect(second).toEqual(first);
    expect(read).toEqual(['r_gate']);
  });

  it('have what happened before they were asked for, also where an earlier question is still being answered', async () => {
    const { engine } = place.store;
    let late: ReturnType<RunPages['pageOf']> | undefined;
    meanwhile = async () => {
      meanwhile = () => Promise.resolve();
      await engine.answer('r_gate', 'review', { decision: 'value', value: 'yes', by: 'maria' });
      await engine.claim('r_gate', 'worker');
      late = pages.pageOf('r_gate', 0);
    };
    expect((await pages.pageOf('r_gate', 0)).explanation.state).toBe('parked');
    expect((await late)?.explanation.state).toBe('running');
  });

  it('are prepared for addresses of runs only, and say what is wrong when they are asked for', async () => {
    for (const path of ['/', '/runs', '/runs/', '/start', '/runs/%E0%A4%A', '/runs/r_nobody']) pages.prepare(path);
    await expect(pages.pageOf('r_nobody', 0)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(read).toEqual([]);
  });
});
