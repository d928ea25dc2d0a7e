import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalPage } from '../api/journal.js';
import type { Overview } from '../api/overview.js';
import type { RequestList } from '../api/requests.js';
import { DashboardPlace } from '../dashboard.fixture.js';
import type { RunPageView } from './run-pages.js';

const loop = `workflow: {name: loop, entry_point: one, limits: {max_iterations: 4}}
agents:
  - {name: one, type: set, value: x, routes: [{to: two}]}
  - {name: two, type: set, value: y, routes: [{to: one}]}
`;
const refuse = `workflow: {name: refuse, entry_point: stop, input: {age: {type: number}}}
agents:
  - {name: stop, type: terminate, status: failed, reason: "order is {{ workflow.input.age }} days old"}
`;
const gate = `workflow: {name: gate, entry_point: review}
agents:
  - name: review
    type: human_gate
    prompt: May it?
    deadline: 1h
    options:
      - {label: "Yes", value: "yes", route: $end}
      - {label: "No", value: "no", route: $end, prompt_for: why}
`;

describe('the overview and what waits for someone', () => {
  let place: DashboardPlace;
  beforeAll(async () => {
    place = await DashboardPlace.open();
    for (const runId of ['r_loop1', 'r_loop2']) await place.run(loop, { runId });
    for (const age of [91, 117]) await place.run(refuse, { runId: `r_old${age}`, inputs: `{"age": ${age}}` });
    await place.run(gate, { runId: 'r_gate' });
  });
  afterAll(() => place.close());

  it('counts by name and over time, and groups endings by their root cause', async () => {
    const overview = await place.json<Overview>('/api/overview?bucket=4');
    expect(overview).toMatchObject({ runs: 5, unfinished: 0, complete: true, grouped: 5 });
    expect(overview.byName).toContainEqual({ name: 'loop', count: 2, byCategory: { capacity: 2 } });
    expect(overview.overTime).toHaveLength(4);
    const counted = overview.overTime.flatMap(({ byCategory }) => Object.values(byCategory));
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(5);
    expect(overview.groups.map(({ rootCause, count }) => [rootCause, count])).toEqual([
      ['Stopped at the limit of 4 steps (used 4).', 2],
      ['stop: order is N days old', 2],
      [expect.stringContaining('review'), 1],
    ]);
    const [limit] = overview.groups;
    expect([...(limit?.runIds ?? [])].sort()).toEqual(['r_loop1', 'r_loop2']);
    expect(limit?.actions.map(({ type, values }) => [type, values])).toEqual([
      ['resume', { maxIterations: 8 }],
      ['retry', {}],
      ['cancel', {}],
    ]);
  });

  it('narrows by the filters of the list', async () => {
    const overview = await place.json<Overview>('/api/overview?name=loop');
    expect(overview).toMatchObject({ runs: 2, groups: [{ count: 2 }] });
  });

  it('lists open requests with what is needed to answer them', async () => {
    const { requests, complete } = await place.json<RequestList>('/api/requests');
    expect(complete).toBe(true);
    expect(requests).toMatchObject([
      { runId: 'r_gate', id: 'review', type: 'gate', question: 'May it?', otherAnswers: false },
    ]);
    expect(requests[0]?.choices.map(({ value, label }) => [value, label])).toEqual([
      ['yes', 'Yes'],
      ['no', 'No'],
    ]);
    expect(requests[0]?.choices[1]?.field).toEqual({ name: 'why', severalLines: false });
  });

  it('shows a run with the same row as the list, and its journal in pages', async () => {
    const view = await place.json<RunPageView>('/api/runs/r_loop1');
    expect(view.row.sentence).toBe(view.explanation.headline);
    expect(view.row.next.map(({ text, command }) => ({ text, command }))).toEqual(
      view.explanation.next.map(({ text, command }) => ({ text, command })),
    );
    const page = await place.json<JournalPage>('/api/runs/r_loop1/journal?limit=3');
    expect(page.entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(page).toMatchObject({ next: 3, head: view.head.seq });
    const ends = await place.json<JournalPage>('/api/runs/r_loop1/journal?type=segment_ended&q=MAX_ITERATIONS');
    expect(ends.entries.map(({ type }) => type)).toEqual(['segment_ended']);
    expect(ends.next).toBeUndefined();
  });

  it('gives the whole journal as a file', async () => {
    const response = await place.get('/api/runs/r_loop1/journal.jsonl');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="r_loop1.jsonl"');
    const lines = (await response.text()).trim().split('\n');
    const entries = await place.store.engine.journal('r_loop1');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(JSON.stringify(entries)));
  });

  it('says that there is no such run instead of an empty page', async () => {
    for (const path of ['', '/journal', '/journal.jsonl', '/events']) {
      const response = await place.get(`/api/runs/r_nothing${path}`);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toMatchObject({ error: { code: 'RUN_NOT_FOUND' } });
    }
  });
});
