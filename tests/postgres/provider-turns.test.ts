import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../packages/fullstop/src/engines/port/clock.js';
import type { ProviderTurn } from '../../packages/fullstop/src/engines/port/provider-gate.js';
import { PostgresProviderLedger } from '../../packages/fullstop/src/engines/postgres/provider-ledger.js';
import { makeProviderGate } from '../../packages/fullstop/src/engines/sharing/make-provider-gate.js';
import { type Line, makeLine, storeOn } from './cut-line.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

interface Scene {
  readonly line: Line;
  /** Takes a turn at a provider that has one at a time. */
  enter(signal?: AbortSignal): Promise<ProviderTurn>;
  /** How many calls were ever begun, and how many of them have not ended. */
  calls(): Promise<unknown>;
}

/** A process that lives as long as the test, so that no turn of it is free because it is taken for dead. */
async function open(schema: string, patienceMs = 600_000): Promise<Scene> {
  const line = makeLine();
  const store = storeOn(line, { url: database.url, schema, ownerId: 'owner', patienceMs });
  onTestFinished(() => store.close());
  await store.ask((sql) =>
    sql.run(
      "INSERT INTO @workers (id, process, seen_at, lease_ms) VALUES ('owner', 'here', clock_timestamp(), 1000000000)",
    ),
  );
  const gate = makeProviderGate({ acme: { concurrency: 1 } }, new PostgresProviderLedger(store, 'owner'), systemClock);
  return {
    line,
    enter: (signal = new AbortController().signal) => gate.enter('acme', signal) as Promise<ProviderTurn>,
    calls: async () =>
      (
        await ask(
          database.url,
          `SELECT count(*)::int AS begun, (count(*) FILTER (WHERE ended_at IS NULL))::int AS open FROM ${schema}.provider_calls`,
        )
      )[0],
  };
}

describe.skipIf(isPostgresMissing)('a turn at a provider', () => {
  test('that ends while the server is away is free when it is back, and so is what its provider asked for', async () => {
    const { line, enter, calls } = await open('ended_away');
    const turn = await enter();
    line.isAway = true;
    turn.leave(2000);
    await expect.poll(() => line.refused).toBeGreaterThan(0);
    line.isAway = false;
    await expect.poll(calls).toEqual({ begun: 1, open: 0 });
    const told = await ask(database.url, 'SELECT paused_until IS NOT NULL AS "isPaused" FROM ended_away.providers');
    expect(told).toEqual([{ isPaused: true }]);
    (await enter()).leave();
    await expect.poll(calls).toEqual({ begun: 2, open: 0 });
  });

  test('is free although its end was lost on the way, once or more often', async () => {
    const { line, enter, calls } = await open('ended_lost');
    const turn = await enter();
    line.losing.push('FOR UPDATE', 'SET ended_at', 'COMMIT');
    turn.leave();
    await expect.poll(() => line.losing).toEqual([]);
    (await enter()).leave();
    await expect.poll(calls).toEqual({ begun: 2, open: 0 });
  });

  test('is waited for while the server is away', async () => {
    const { line, enter } = await open('begun_away');
    line.isAway = true;
    const entered = enter();
    await expect.poll(() => line.refused).toBeGreaterThan(1);
    line.isAway = false;
    (await entered).leave();
  });

  test('that was committed unheard is that turn, and does not wait for itself', async () => {
    const { line, enter, calls } = await open('begun_unheard');
    line.losing.push('COMMIT');
    const turn = await enter();
    expect(line.losing).toEqual([]);
    expect(await calls()).toEqual({ begun: 1, open: 1 });
    turn.leave();
    (await enter()).leave();
  });

  test('that was committed unheard is free when nobody waits for it any longer', async () => {
    const { line, enter, calls } = await open('given_up', 300);
    line.losing.push('COMMIT');
    line.cutsThen = true;
    await expect(enter()).rejects.toMatchObject({ code: 'STORE_IO' });
    expect(await calls()).toEqual({ begun: 1, open: 1 });
    line.isAway = false;
    (await enter()).leave();
    await expect.poll(calls).toEqual({ begun: 2, open: 0 });
  });

  test('is given up at once by a run that is cancelled while the server is away', async () => {
    const { line, enter, calls } = await open('cancelled_away');
    const cancelled = new AbortController();
    line.losing.push('COMMIT');
    line.cutsThen = true;
    const entered = enter(cancelled.signal);
    await expect.poll(() => line.refused).toBeGreaterThan(0);
    cancelled.abort(new Error('cancelled'));
    await expect(entered).rejects.toThrow('cancelled');
    expect(line.isAway).toBe(true);
    line.isAway = false;
    (await enter()).leave();
    await expect.poll(calls).toEqual({ begun: 2, open: 0 });
  });
});
