import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardPlace } from '../dashboard.fixture.js';

const gate = `workflow: {name: gate, entry_point: review}
agents:
  - name: review
    type: human_gate
    prompt: May it?
    options: [{label: "Yes", value: "yes", route: $end}]
`;

interface Seen {
  readonly event: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads events until one satisfies, then hangs up. */
async function readUntil(
  place: DashboardPlace,
  path: string,
  isEnough: (seen: readonly Seen[]) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly Seen[]> {
  const hangUp = new AbortController();
  const response = await fetch(`${place.dashboard.origin}${path}`, {
    headers: { ...place.bearer, ...headers },
    signal: hangUp.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const seen: Seen[] = [];
  let text = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      if (block.startsWith(':')) continue;
      seen.push({ event: field('event'), id: field('id'), data: JSON.parse(field('data')) as Seen['data'] });
    }
    if (isEnough(seen)) break;
  }
  hangUp.abort();
  return seen;
}

const seqsIn = (seen: readonly Seen[]): readonly number[] =>
  seen.flatMap(({ data }) => ((data['entries'] ?? []) as readonly { readonly seq: number }[]).map(({ seq }) => seq));

describe('live streams', () => {
  let place: DashboardPlace;
  beforeAll(async () => {
    place = await DashboardPlace.open();
  });
  afterAll(() => place.close());

  it('sends every entry of a run once, also to a reader that connects again', async () => {
    const { engine } = place.store;
    await place.run(gate, { runId: 'r_live' });
    const before = await engine.journal('r_live');
    const first = await readUntil(place, '/api/runs/r_live/events', (seen) => seen.length > 0);
    expect(seqsIn(first)).toEqual(before.map(({ seq }) => seq));
    expect(first[0]?.data['row']).toMatchObject({ runId: 'r_live', kind: 'gate_pending', requests: 1 });
    const lastId = first.at(-1)?.id ?? '';
    await engine.answer('r_live', 'review', { decision: 'value', value: 'yes', by: 'ada' });
    const { loadWorkflow } = await import('fullstop/workflow');
    const following = readUntil(
      place,
      '/api/runs/r_live/events',
      (seen) => seen.some(({ data }) => (data['row'] as { kind?: string }).kind === 'flow_completed'),
      { 'last-event-id': lastId },
    );
    const workflow = loadWorkflow(`${place.folder}/workflow.yaml`);
    const session = await engine.claim('r_live', 'tester');
    if (session !== undefined) await workflow.execute(session, engine);
    const second = await following;
    const all = (await engine.journal('r_live')).map(({ seq }) => seq);
    expect([...seqsIn(first), ...seqsIn(second)]).toEqual(all);
    expect(all.length).toBeGreaterThan(before.length);
  });

  it('refuses to follow a run that is not there', async () => {
    const response = await place.get('/api/runs/r_nothing/events');
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: { code: 'RUN_NOT_FOUND', message: 'There is no run "r_nothing" in this store.' },
    });
  });

  it('names changed runs, and continues after the place of a reader that was away', async () => {
    const hello = await readUntil(place, '/api/events', (seen) => seen.length > 0);
    expect(hello[0]).toMatchObject({ event: 'hello' });
    await place.run(gate, { runId: 'r_missed' });
    const [, news] = await readUntil(place, '/api/events', (seen) => seen.length > 1, {
      'last-event-id': hello[0]?.id ?? '',
    });
    expect(news).toMatchObject({ event: 'runs', data: { runIds: ['r_missed'], complete: true } });
  });
});
