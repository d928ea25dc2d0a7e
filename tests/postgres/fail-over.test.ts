import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunnableDefinition } from '../../packages/fullstop/src/engines/port/engine.js';
import { type PostgresEngine, postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { stallingProxy } from './stalling-proxy.js';
import { type Child, startProgram } from './start-program.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
/** Longer than any test may take: whoever waits for this lease never ends. */
const endless = 1_000_000;
/** A third of it is enough to see that something is locked, and less than a statement may take. */
const longer = 24_000;

function open(schema: string, leaseMs: number, url = database.url, sessions = true): PostgresEngine {
  const engine = postgresEngine({ url, schema, leaseMs, pollMs: 200, sessions });
  onTestFinished(() => engine.close());
  return engine;
}

function startWorker(schema: string, leaseMs: number): Child {
  return startProgram('./stubborn-worker.ts', [database.url, schema, String(leaseMs)]);
}

/** Something that one part of a test waits for and another says. */
function makeSignal(): { readonly given: Promise<void>; give(): void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

const stubborn = defineRun({
  name: 'stubborn',
  run: async (context) => {
    const first = await context.step('first', () => -1);
    const second = await context.step('second', () => -2);
    return terminations.custom({ reason: 'ended', category: 'success', properties: { first, second } });
  },
});

describe.skipIf(isPostgresMissing)('another worker', () => {
  test('continues with the runs of one that was killed, long before its lease ends', async () => {
    const engine = open('killed', endless);
    await engine.start({ runId: 'run', name: 'stubborn', version: '1' });
    const child = startWorker('killed', endless);
    await expect.poll(child.said).toContain('in the second step');
    const worker = engine.worker([stubborn]);
    expect(await engine.summary('run')).toMatchObject({ state: 'running' });
    const killedAt = performance.now();
    child.process.kill('SIGKILL');
    const ending = await engine.waitForEnding('run', 1);
    console.log(`taken over and ended ${Math.round(performance.now() - killedAt)} ms after kill -9`);
    // The first step stands as the dead process wrote it, the second was done again.
    expect(ending.termination).toMatchObject({ properties: { first: child.process.pid, second: -2 } });
    expect(await engine.verify('run', ending.headHash)).toMatchObject({ status: 'proved' });
    await worker.stop();
  });

  test('continues with the runs of one that is frozen when its lease is over, and the thawed one writes nothing', async () => {
    const leaseMs = 2000;
    const engine = open('frozen', leaseMs);
    await engine.start({ runId: 'run', name: 'stubborn', version: '1' });
    const child = startWorker('frozen', leaseMs);
    await expect.poll(child.said).toContain('in the second step');
    child.process.kill('SIGSTOP');
    const stoppedAt = performance.now();
    const worker = engine.worker([stubborn]);
    const ending = await engine.waitForEnding('run', 1);
    console.log(
      `taken over and ended ${Math.round(performance.now() - stoppedAt)} ms after SIGSTOP, with a lease of ${leaseMs} ms`,
    );
    expect(ending.termination).toMatchObject({ properties: { first: child.process.pid, second: -2 } });
    const before = await engine.journal('run');
    child.process.kill('SIGCONT');
    child.process.stdin?.write('continue\n');
    await expect.poll(child.said).toContain('fenced');
    await expect.poll(child.said).toContain('let go');
    expect(await engine.journal('run')).toEqual(before);
    expect(await engine.verify('run', ending.headHash)).toMatchObject({ status: 'proved' });
    await worker.stop();
  });

  test('has the runs of one that is cut off, which aborts what it does before its lease is over', async () => {
    // Long enough that a busy machine does not make the worker miss its lease before it is cut off.
    const leaseMs = 9000;
    const proxy = await stallingProxy(database.url);
    onTestFinished(() => proxy.close());
    const cutOff = open('stalled', leaseMs, proxy.url);
    const engine = open('stalled', leaseMs);
    const begun = makeSignal();
    let abortedAt = 0;
    const hanging = defineRun({
      name: 'stubborn',
      run: async (context) => {
        await context.step('first', () => 1);
        await context.step('second', ({ signal }) => {
          begun.give();
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              abortedAt = performance.now();
              reject(signal.reason);
            });
          });
        });
        return terminations.naturalEnd();
      },
    });
    const stuck = cutOff.worker([hanging]);
    await engine.start({ runId: 'run', name: 'stubborn', version: '1' });
    await begun.given;
    const journalled = (): Promise<{ count: number }[]> =>
      ask(database.url, 'SELECT count(*)::int AS count FROM stalled.journal');
    await expect.poll(async () => (await journalled())[0]?.count).toBe(2);
    proxy.stall();
    const worker = engine.worker([stubborn]);
    const ending = await engine.waitForEnding('run', 1);
    const takenAt = performance.now();
    expect(abortedAt).toBeGreaterThan(0);
    expect(abortedAt).toBeLessThan(takenAt);
    expect(ending.termination).toMatchObject({ properties: { first: 1, second: -2 } });
    proxy.cut();
    proxy.flow();
    await worker.stop();
    await stuck.stop(0).catch(() => undefined);
  });
});

describe.skipIf(isPostgresMissing)('a worker whose connections were ended', () => {
  test('begins no effect of a run that another has taken since, although its lease is not over', async () => {
    const proxy = await stallingProxy(database.url);
    onTestFinished(() => proxy.close());
    const cutOff = open('ended', endless, proxy.url);
    const engine = open('ended', endless);
    const performed: string[] = [];
    const [begun, gate, lost] = [makeSignal(), makeSignal(), makeSignal()];
    const performing = (by: string, before: () => Promise<void>): RunnableDefinition =>
      defineRun({
        name: 'performing',
        run: async (context) => {
          await before();
          await context.step('effect', () => performed.push(by));
          return terminations.naturalEnd();
        },
      });
    const waiting = performing('the one that was cut off', () => {
      begun.give();
      return gate.given;
    });
    const stuck = cutOff.worker([
      { ...waiting, execute: (session, at) => waiting.execute(session, at).finally(() => lost.give()) },
    ]);
    await engine.start({ runId: 'run', name: 'performing', version: '1' });
    await begun.given;
    proxy.stall();
    proxy.cut();
    const worker = engine.worker([performing('the other', () => Promise.resolve())]);
    await engine.waitForEnding('run', 1);
    gate.give();
    proxy.flow();
    await lost.given;
    expect(performed).toEqual(['the other']);
    await worker.stop();
    await stuck.stop(0);
  });
});

describe.skipIf(isPostgresMissing)('a worker that was silent', () => {
  test('keeps its runs if it shows that it lives before another has released them', async () => {
    const owner = open('silent', endless);
    const other = open('silent', endless);
    const performed: string[] = [];
    const [begun, gate] = [makeSignal(), makeSignal()];
    const performing = (by: string, before: () => Promise<void>): RunnableDefinition =>
      defineRun({
        name: 'performing',
        run: async (context) => {
          await context.step('effect', async () => {
            performed.push(by);
            await before();
          });
          return terminations.naturalEnd();
        },
      });
    const atWork = owner.worker([
      performing('the owner', () => {
        begun.give();
        return gate.given;
      }),
    ]);
    await owner.start({ runId: 'run', name: 'performing', version: '1' });
    await begun.given;
    await ask(database.url, "UPDATE silent.workers SET seen_at = seen_at - interval '1 day'");
    const renewing = new pg.Client({ connectionString: database.url });
    await renewing.connect();
    onTestFinished(() => renewing.end());
    // The renewal is under way: nobody else sees it yet.
    await renewing.query('BEGIN; UPDATE silent.workers SET seen_at = clock_timestamp()');
    const looking = other.worker([performing('the other', () => Promise.resolve())]);
    const releasing = (): Promise<unknown[]> =>
      ask(
        database.url,
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\"silent\".workers%FOR UPDATE%'",
      );
    await expect.poll(async () => (await releasing()).length).toBeGreaterThan(0);
    await renewing.query('COMMIT');
    await expect.poll(async () => (await releasing()).length).toBe(0);
    gate.give();
    expect((await other.waitForEnding('run', 1)).termination).toEqual({ kind: 'natural_end' });
    expect(performed).toEqual(['the owner']);
    await looking.stop();
    await atWork.stop();
  });
});

describe.skipIf(isPostgresMissing)('a worker that is cut off in the middle of a transaction', () => {
  test.each([true, false])(
    'holds what it locked for no longer than a third of its lease (sessions: %s)',
    async (sessions) => {
      const proxy = await stallingProxy(database.url);
      onTestFinished(() => proxy.close());
      const schema = sessions ? 'half' : 'half_pooled';
      const cutOff = open(schema, longer, proxy.url, sessions);
      const engine = open(schema, longer);
      await engine.start({ runId: 'run', name: 'stubborn', version: '1' });
      expect(await cutOff.summary('run')).toMatchObject({ state: 'ready' });
      const stalled = proxy.stallAfter('FOR UPDATE');
      const lost = cutOff.claim('run', 'cut off').catch((error: unknown) => error);
      await stalled;
      const locked = (): Promise<unknown[]> =>
        ask(database.url, "SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction'");
      await expect.poll(async () => (await locked()).length).toBe(1);
      // A third of the lease is less than this statement may take; otherwise it would fail.
      expect(await engine.claim('run', 'other')).toBeDefined();
      proxy.cut();
      proxy.flow();
      expect(await lost).toBeUndefined();
    },
  );
});

describe.skipIf(isPostgresMissing)('many clients at once', () => {
  test('start one run and give one answer', async () => {
    const asking = defineRun({
      name: 'asking',
      run: async (context) => {
        const { by } = await context.wait({ id: 'q', type: 'input' });
        return terminations.custom({ reason: by ?? 'nobody', category: 'success' });
      },
    });
    const clients = Array.from({ length: 30 }, () =>
      postgresEngine({ url: database.url, schema: 'many', connections: 1 }),
    );
    onTestFinished(async () => {
      await Promise.all(clients.map((each) => each.close()));
    });
    const [first] = clients as [PostgresEngine];
    const started = await Promise.all(
      clients.map((each) => each.start({ runId: 'run', name: 'asking', version: '1', input: { n: 1 } })),
    );
    expect(started.filter((each) => each === 'started')).toHaveLength(1);
    const worker = first.worker([asking]);
    await first.waitForEnding('run', 1);
    const receipts = await Promise.all(
      clients.map((each, index) => each.answer('run', 'q', { decision: 'value', by: `client ${index}` })),
    );
    expect(receipts.filter(({ status }) => status === 'delivered')).toHaveLength(1);
    expect(receipts.filter(({ status }) => status === 'already')).toHaveLength(29);
    const winner = receipts.findIndex(({ status }) => status === 'delivered');
    const ending = await first.waitForEnding('run', 2);
    expect(ending.termination).toMatchObject({ reason: `client ${winner}` });
    expect(await first.verify('run', ending.headHash)).toMatchObject({ status: 'proved' });
    await worker.stop();
  });
});
