import { describe, expect, it } from 'vitest';
import { claimed, handClock, openEngine, segmentEnded, temporaryFile } from './engine.fixture.js';
import type { SqliteEngine } from './options.js';

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

interface Made {
  readonly startedAt: number;
  readonly ending?: Readonly<Record<string, unknown>>;
}

async function made(runs: readonly Made[]): Promise<SqliteEngine> {
  const clock = handClock(0);
  const engine = openEngine(temporaryFile(), { clock });
  for (const [index, { startedAt, ending }] of runs.entries()) {
    clock.advance(startedAt - clock.now());
    const runId = `run-${index}`;
    await engine.start({ runId, name: index % 2 === 0 ? 'even' : 'odd', version: '1' });
    if (ending === undefined) continue;
    const session = await claimed(engine, runId);
    const draft = segmentEnded(session);
    await session.conclude({ ...draft, data: { envelope: { ...draft.data.envelope, ...ending } } } as typeof draft, []);
  }
  return engine;
}

const good = { termination: { kind: 'terminated' }, category: 'success', costUsd: 0.5, usage, durationMs: 100 };
const bad = { termination: { kind: 'terminated' }, category: 'fatal', costUsd: null, usage, durationMs: 300 };
const several: readonly Made[] = [
  { startedAt: 0, ending: good },
  { startedAt: 100, ending: { ...good, estimated: true } },
  { startedAt: 200, ending: bad },
  { startedAt: 300 },
  { startedAt: 400, ending: good },
];

describe('tally', () => {
  it('counts endings by kind and category, with what they cost and when they were', async () => {
    const engine = await made(several);
    const used = { kind: 'terminated', tokens: 45, durationMs: 300 };
    expect(await engine.tally({ intervals: 4 })).toEqual({
      runs: 5,
      unfinished: 1,
      from: 0,
      to: 400,
      kinds: [
        { ...used, category: 'success', count: 3, costUsd: 1.5, unpriced: 0, estimated: 1, over: [1, 1, 0, 1] },
        { ...used, category: 'fatal', count: 1, costUsd: 0, unpriced: 1, estimated: 0, tokens: 15, over: [0, 0, 1, 0] },
      ],
      names: [
        { name: 'even', count: 3, unfinished: 0, categories: { success: 2, fatal: 1 } },
        { name: 'odd', count: 2, unfinished: 1, categories: { success: 1 } },
      ],
    });
  });

  it('counts only what a filter lets through, and only the newest of it', async () => {
    const engine = await made(several);
    expect(await engine.tally({ name: 'odd' })).toMatchObject({ runs: 2, unfinished: 1, from: 100, to: 300 });
    expect(await engine.tally({ last: 2 })).toMatchObject({ runs: 2, unfinished: 1, from: 300, to: 400 });
    expect(await engine.tally({ category: 'fatal', last: 3 })).toMatchObject({ runs: 1, kinds: [{ count: 1 }] });
  });

  it('says nothing wrong about no runs', async () => {
    expect(await (await made([])).tally()).toEqual({ runs: 0, unfinished: 0, from: 0, to: 0, kinds: [], names: [] });
  });

  it('agrees with the list about what each run used', async () => {
    const engine = await made(several);
    const { runs } = await engine.list();
    expect(runs.map(({ usage: used, costUsd, durationMs }) => [used?.totalTokens, costUsd, durationMs])).toEqual([
      [15, 0.5, 100],
      [undefined, undefined, undefined],
      [15, null, 300],
      [15, 0.5, 100],
      [15, 0.5, 100],
    ]);
  });
});
