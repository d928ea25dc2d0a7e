import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunPageBody } from '../api/run-row.js';
import { DashboardPlace } from '../dashboard.fixture.js';

const loop = `workflow: {name: loop, entry_point: one, limits: {max_iterations: 4}}
agents:
  - {name: one, type: set, value: x, routes: [{to: two}]}
  - {name: two, type: set, value: y, routes: [{to: one}]}
`;
const gate = `workflow: {name: gate, entry_point: review}
agents:
  - name: review
    type: human_gate
    prompt: May it?
    deadline: 1h
    options: [{label: "Yes", value: "yes", route: $end}, {label: "No", value: "no", route: $end}]
`;
const secret = `workflow: {name: secret, entry_point: stop}
agents:
  - {name: stop, type: terminate, status: failed, reason: "the key is very-secret-value"}
`;

describe('the list of runs', () => {
  let place: DashboardPlace;
  beforeAll(async () => {
    place = await DashboardPlace.open();
    await place.run(loop, { runId: 'r_loop' });
    await place.run(gate, { runId: 'r_gate' });
    await place.run(secret, { runId: 'r_secret' });
  });
  afterAll(() => place.close());

  it('shows the newest first, with why and what to do next in the row', async () => {
    const { runs } = await place.json<RunPageBody>('/api/runs');
    expect(runs.map(({ runId }) => runId)).toEqual(['r_secret', 'r_gate', 'r_loop']);
    const [, waiting, stopped] = runs;
    expect(stopped?.look).toEqual({ tone: 'stopped', word: 'max_iterations', icon: '◆' });
    expect(stopped?.sentence).toBe('Stopped at the limit of 4 steps (used 4).');
    expect(stopped?.next[0]).toMatchObject({
      command: 'fullstop resume r_loop --max-iterations 8',
      action: { type: 'resume', values: { maxIterations: 8 }, asks: [] },
    });
    expect(waiting?.look).toMatchObject({ tone: 'waiting', word: 'gate_pending' });
    expect(waiting?.requests).toBe(1);
    expect(waiting?.deadline).toBeGreaterThan(Date.now());
    expect(waiting?.next[0]?.action).toEqual({
      type: 'answer',
      requestId: 'review',
      values: { decision: 'choose', choice: 'yes' },
      asks: [],
    });
  });

  it('pages by cursor and by filters', async () => {
    const first = await place.json<RunPageBody>('/api/runs?limit=2');
    expect(first.runs.map(({ runId }) => runId)).toEqual(['r_secret', 'r_gate']);
    const second = await place.json<RunPageBody>(`/api/runs?limit=2&cursor=${encodeURIComponent(first.next ?? '')}`);
    expect(second).toMatchObject({ runs: [{ runId: 'r_loop' }] });
    expect(second.next).toBeUndefined();
    const capacity = await place.json<RunPageBody>('/api/runs?category=capacity');
    expect(capacity.runs.map(({ runId }) => runId)).toEqual(['r_loop']);
  });

  it('returns certain runs that pass the filters', async () => {
    const all = await place.json<RunPageBody>('/api/runs?ids=r_loop,r_gate,r_nothing');
    expect(all.runs.map(({ runId }) => runId)).toEqual(['r_loop', 'r_gate']);
    const some = await place.json<RunPageBody>('/api/runs?ids=r_loop,r_gate&category=paused');
    expect(some.runs.map(({ runId }) => runId)).toEqual(['r_gate']);
  });

  it('masks secrets in every answer', async () => {
    const response = await place.get('/api/runs?ids=r_secret');
    const body = await response.text();
    expect(body).not.toContain('very-secret-value');
    expect(body).toContain('API_KEY');
  });
});
