import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import { handClock, openEngine, rawDatabase, temporaryFile } from '../../engines/sqlite/engine.fixture.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { deliverNotices, type NoticeFailure } from './deliver.js';

const longerThanTheTest = 2_000_000;

interface Server {
  readonly url: string;
  /** The idempotency keys of the requests so far. */
  readonly got: readonly string[];
}

/** A server on this machine that answers as told. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(String(request.headers['idempotency-key']));
    request.resume();
    request.on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, got };
}

const takes = (_: IncomingMessage, response: ServerResponse): void => void response.end();

async function endRuns(engine: Engine, count: number, targets: readonly string[]): Promise<void> {
  const job = defineRun({ name: 'job', onEnding: targets, run: async () => terminations.naturalEnd() });
  for (let index = 0; index < count; index += 1) await job.run(undefined, { engine, runId: `r${index}` });
}

describe('a webhook that redirects', () => {
  it.each([301, 302, 303, 307, 308])('with %i has not taken the notice, and nobody else gets it', async (status) => {
    const elsewhere = await serve(takes);
    const redirecting = await serve(
      (_, response) => void response.writeHead(status, { location: elsewhere.url }).end(),
    );
    const engine = memoryEngine();
    await endRuns(engine, 1, ['ops']);
    const failures: NoticeFailure[] = [];
    const delivery = deliverNotices(engine, {
      targets: { ops: { url: redirecting.url, secret: 'a secret' } },
      onFailure: (failure) => failures.push(failure),
    });
    expect(await delivery.deliverDue()).toBe(0);
    expect(redirecting.got).toEqual(['r0:1:ops']);
    expect(elsewhere.got).toEqual([]);
    expect(failures).toMatchObject([{ error: { code: 'REDIRECTED' }, notice: { id: 'r0:1:ops' } }]);
    expect(failures[0]?.error.message).toContain(`status ${status}`);
  });
});

describe('a target that hangs', () => {
  it('holds up neither others nor their next notices, and only its own time passes', async () => {
    const hanging = await serve(() => undefined);
    const working = await serve(takes);
    const engine = memoryEngine();
    await endRuns(engine, 30, ['slow', 'ops']);
    const failures: NoticeFailure[] = [];
    const delivery = deliverNotices(engine, {
      targets: { slow: { url: hanging.url, timeoutMs: longerThanTheTest }, ops: { url: working.url } },
      concurrency: 3,
      pollMs: 5,
      onFailure: (failure) => failures.push(failure),
    });
    delivery.start();
    await expect.poll(() => new Set(working.got).size).toBe(30);
    expect(working.got).toHaveLength(30);
    expect(new Set(hanging.got).size).toBeLessThanOrEqual(3);
    expect(failures).toEqual([]);
  });

  it('is given up after its own time, not after that of others', async () => {
    const hanging = await serve(() => undefined);
    const engine = memoryEngine();
    await endRuns(engine, 2, ['slow']);
    const failures: NoticeFailure[] = [];
    const delivery = deliverNotices(engine, {
      targets: { slow: { url: hanging.url, timeoutMs: 20 } },
      timeoutMs: longerThanTheTest,
      onFailure: (failure) => failures.push(failure),
    });
    expect(await delivery.deliverDue()).toBe(0);
    expect(failures.map(({ error }) => error.code)).toEqual(['ETIMEDOUT', 'ETIMEDOUT']);
  });
});

describe.each([
  ['memory', (clock: ReturnType<typeof handClock>) => memoryEngine({ clock })],
  ['sqlite', (clock: ReturnType<typeof handClock>) => openEngine(temporaryFile(), { clock })],
])('a lease on the %s engine', (_, open) => {
  const target = { slots: { ops: 9 } };

  it('keeps others from sending, and is over when its holder has died', async () => {
    const clock = handClock();
    const engine = open(clock);
    await endRuns(engine, 2, ['ops', 'other']);
    const leased = await engine.leaseNotices({ until: clock.now() + 100, slots: { ops: 1 } });
    expect(leased).toMatchObject([{ id: 'r0:1:ops', dueAt: clock.now() + 100, attempts: 0 }]);
    expect((await engine.leaseNotices({ until: clock.now() + 100, ...target })).map(({ id }) => id)).toEqual([
      'r1:1:ops',
    ]);
    expect(await engine.leaseNotices({ until: clock.now() + 100, ...target })).toEqual([]);
    expect((await engine.dueNotices()).map(({ id }) => id)).toEqual(['r0:1:other', 'r1:1:other']);
    clock.advance(100);
    expect(await engine.leaseNotices({ until: clock.now() + 100, ...target })).toHaveLength(2);
  });

  it('that has passed to somebody else is not ended by whoever had it before', async () => {
    const clock = handClock();
    const engine = open(clock);
    await endRuns(engine, 1, ['ops']);
    const [first] = await engine.leaseNotices({ until: clock.now() + 100, ...target });
    clock.advance(100);
    const [second] = await engine.leaseNotices({ until: clock.now() + 100, ...target });
    await engine.settleNotice('r0:1:ops', clock.now(), first?.dueAt);
    expect(await engine.leaseNotices({ until: clock.now() + 100, ...target })).toEqual([]);
    await engine.settleNotice('r0:1:ops', clock.now(), second?.dueAt);
    expect(await engine.dueNotices()).toMatchObject([{ id: 'r0:1:ops', attempts: 1 }]);
  });
});

const script = fileURLToPath(new URL('./deliverer.fixture.ts', import.meta.url));

function startDeliverer(
  file: string,
  url: string,
  timeoutMs: number,
): { readonly process: ChildProcess; said(): string } {
  const child = spawn(process.execPath, ['--import', 'tsx', script, file, url, String(timeoutMs)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { process: child, said: () => said };
}

describe('four processes that deliver from one file', () => {
  it('send each notice once', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await endRuns(engine, 60, ['ops']);
    const server = await serve(takes);
    const deliverers = Array.from({ length: 4 }, () => startDeliverer(file, server.url, longerThanTheTest));
    await expect.poll(() => new Set(server.got).size).toBe(60);
    // Those that begin late find nothing more to do, and say so.
    await expect
      .poll(() => deliverers.map(({ said }) => said()))
      .toEqual(Array(4).fill(expect.stringContaining('idle')));
    expect(server.got.toSorted()).toEqual([...new Set(server.got)].toSorted());
    expect(await engine.dueNotices()).toEqual([]);
  });

  it('take over from one that was killed with a notice in its hands, when its lease is over', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await endRuns(engine, 1, ['ops']);
    let first = true;
    const server = await serve((_, response) => {
      if (!first) response.end();
      first = false;
    });
    const doomed = startDeliverer(file, server.url, 1000);
    await expect.poll(() => server.got.length, { timeout: 100_000 }).toBe(1);
    doomed.process.kill('SIGKILL');
    startDeliverer(file, server.url, 1000);
    await expect.poll(() => server.got.length, { timeout: 100_000 }).toBe(2);
    expect(server.got).toEqual(['r0:1:ops', 'r0:1:ops']);
    const database = rawDatabase(file);
    await expect.poll(() => database.prepare('SELECT id FROM outbox').all()).toEqual([]);
  });
});
