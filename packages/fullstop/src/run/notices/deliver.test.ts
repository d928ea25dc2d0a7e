import { afterEach, describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Clock } from '../../engines/port/clock.js';
import type { AbortSignalLike, Engine } from '../../engines/port/engine.js';
import type { FetchLike } from '../../engines/port/host.js';
import { openEngine, temporaryFile } from '../../engines/sqlite/engine.fixture.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { end } from '../ending/body-result.js';
import { verifyJournal } from '../journal/verify-journal.js';
import { createSecrets } from '../secrets/secrets.js';
import { deliverNotices, type Notice, type NoticeDelivery, type NoticeFailure } from './deliver.js';
import { verifyNotice } from './notice-signature.js';

const secrets = createSecrets({ API_KEY: 'sk-12345' });

function handClock(): Clock & { advance(milliseconds: number): void } {
  let time = 1_000_000;
  const calls = new Set<{ readonly instant: number; readonly callback: () => void }>();
  return {
    now: () => time,
    callAt(instant, callback) {
      const call = { instant, callback };
      calls.add(call);
      return () => calls.delete(call);
    },
    advance(milliseconds) {
      time += milliseconds;
      for (const call of [...calls].filter(({ instant }) => instant <= time)) {
        calls.delete(call);
        call.callback();
      }
    },
  };
}

async function endedRun(engine: Engine, runId: string, targets: readonly string[] = ['ops']): Promise<void> {
  const definition = defineRun({
    name: 'job',
    secrets,
    onEnding: targets,
    run: async () => end(terminations.naturalEnd(), { key: 'sk-12345' }),
  });
  await definition.run(undefined, { engine, runId });
}

/** Time itself is the subject where this is used: something must not happen, or takes a while. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const started: NoticeDelivery[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((delivery) => delivery.stop()));
});

describe('callbacks', () => {
  it('get the head that proves the journal, where the engine has one', async () => {
    const engine = openEngine(temporaryFile());
    await endedRun(engine, 'r');
    const heads: unknown[] = [];
    const delivery = deliverNotices(engine, { targets: { ops: ({ envelope }) => heads.push(envelope.headHash) } });
    await delivery.deliverDue();
    expect(heads).toEqual([(await engine.ending('r'))?.headHash]);
    expect(await verifyJournal(await engine.journal('r'), { head: String(heads[0]) })).toMatchObject({
      verdict: 'proved',
    });
  });

  it('get the envelope, masked, and settle the notice', async () => {
    const engine = memoryEngine();
    await endedRun(engine, 'r');
    const notices: Notice[] = [];
    const delivery = deliverNotices(engine, { secrets, targets: { ops: (notice) => notices.push(notice) } });
    expect(await delivery.deliverDue()).toBe(1);
    expect(notices).toMatchObject([{ id: 'r:1:ops', runId: 'r', segment: 1, target: 'ops', attempts: 0 }]);
    expect(notices[0]?.envelope).toMatchObject({
      termination: { kind: 'natural_end' },
      persisted: true,
      output: { key: '‹API_KEY›' },
    });
    expect(await delivery.deliverDue()).toBe(0);
  });

  it('are asked again, later each time and at most an hour apart, until they succeed', async () => {
    const clock = handClock();
    const engine = memoryEngine({ clock });
    await endedRun(engine, 'r');
    const failures: NoticeFailure[] = [];
    let broken = true;
    const ops = (): void => {
      if (broken) throw new Error('not now');
    };
    const delivery = deliverNotices(engine, { targets: { ops }, onFailure: (failure) => failures.push(failure) });
    const delays: number[] = [];
    for (let attempt = 0; attempt < 15; attempt += 1) {
      await delivery.deliverDue();
      const delay = (failures.at(-1)?.retryAt ?? 0) - clock.now();
      delays.push(delay);
      clock.advance(delay - 1);
      expect(await delivery.deliverDue()).toBe(0);
      clock.advance(1);
    }
    expect(delays.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(Math.max(...delays)).toBe(3_600_000);
    expect(failures.map(({ notice }) => notice.attempts)).toEqual(delays.map((_, index) => index));
    expect(failures[0]?.error.message).toBe('not now');
    broken = false;
    expect(await delivery.deliverDue()).toBe(1);
    expect(await engine.dueNotices()).toEqual([]);
  });

  it('that hang are given up and reported', async () => {
    const clock = handClock();
    const engine = memoryEngine({ clock });
    await endedRun(engine, 'r');
    let signal: AbortSignalLike | undefined;
    const hang = (_: Notice, given: AbortSignalLike): Promise<never> => {
      signal = given;
      return new Promise(() => undefined);
    };
    const failures: NoticeFailure[] = [];
    const delivery = deliverNotices(engine, {
      targets: { ops: hang },
      timeoutMs: 500,
      onFailure: (failure) => failures.push(failure),
    });
    const pass = delivery.deliverDue();
    await expect.poll(() => signal).toBeDefined();
    clock.advance(500);
    expect(await pass).toBe(0);
    expect(signal?.aborted).toBe(true);
    expect(failures[0]?.error.code).toBe('ETIMEDOUT');
  });
});

describe('targets', () => {
  it('that nobody here knows are left to others, and do not get in the way', async () => {
    const engine = memoryEngine();
    for (let index = 0; index < 120; index += 1) await endedRun(engine, `other-${index}`, ['elsewhere']);
    await endedRun(engine, 'ours', ['ops', 'constructor']);
    const told: string[] = [];
    const delivery = deliverNotices(engine, { targets: { ops: ({ runId }) => told.push(runId) } });
    expect(await delivery.deliverDue()).toBe(1);
    expect(told).toEqual(['ours']);
    const rest = await engine.dueNotices(1000);
    expect(rest).toHaveLength(121);
    expect(rest.every(({ attempts }) => attempts === 0)).toBe(true);
  });
});

describe('webhooks', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const setUp = async (status = 200, answerHeaders: Readonly<Record<string, string>> = {}) => {
    const engine = memoryEngine();
    await endedRun(engine, 'größe 1');
    const requests: { url: string; headers: Readonly<Record<string, string>>; body: string }[] = [];
    const fetch: FetchLike = async (url, { headers, body }) => {
      requests.push({ url, headers, body });
      return { ok: status < 300, status, headers: { get: (name) => answerHeaders[name] ?? null } };
    };
    const failures: NoticeFailure[] = [];
    const targets = { ops: { url: 'https://example.com/hook', secret } };
    const delivery = deliverNotices(engine, {
      targets,
      secrets,
      fetch,
      onFailure: (failure) => failures.push(failure),
    });
    return { engine, requests, failures, delivery };
  };

  it('are signed, so that the receiver can tell', async () => {
    const { delivery, requests } = await setUp();
    expect(await delivery.deliverDue()).toBe(1);
    const { headers, body } = requests[0]!;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'gr%C3%B6%C3%9Fe%201:1:ops',
    });
    const notice = await verifyNotice(headers, body, secret);
    expect(notice.id).toBe('gr%C3%B6%C3%9Fe%201:1:ops');
    expect(notice.envelope).toMatchObject({ runId: 'größe 1', output: { key: '‹API_KEY›' } });
    await expect(verifyNotice(headers, body.replace('natural_end', 'failed'), secret)).rejects.toThrow(/does not fit/);
  });

  it('that answer with an error are called again, when they say', async () => {
    const { delivery, failures, engine } = await setUp(503, { 'retry-after': '120' });
    expect(await delivery.deliverDue()).toBe(0);
    expect(failures[0]?.error).toMatchObject({ code: 'HTTP_503', message: 'The webhook answered with status 503.' });
    expect((failures[0]?.retryAt ?? 0) - engine.clock.now()).toBeGreaterThan(110_000);
  });
});

describe('the options', () => {
  it.each([
    { pollMs: 0 },
    { pollMs: Number.NaN },
    { timeoutMs: -1 },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { concurrency: 0 },
    { concurrency: 1.5 },
  ])('%j are refused before anything is delivered', (options) => {
    const [option = ''] = Object.keys(options);
    expect(() => deliverNotices(memoryEngine(), { targets: {}, ...options })).toThrow(`deliverNotices: ${option} is`);
  });
});

describe('the loop', () => {
  it('delivers what comes up, also more at once than its concurrency, until it is stopped', async () => {
    const engine = memoryEngine();
    const told: string[] = [];
    let most = 0;
    let now = 0;
    const ops = async ({ runId }: Notice): Promise<void> => {
      now += 1;
      most = Math.max(most, now);
      await settled();
      now -= 1;
      told.push(runId);
    };
    const delivery = deliverNotices(engine, { targets: { ops }, pollMs: 5, concurrency: 2 });
    started.push(delivery);
    delivery.start();
    delivery.start();
    for (let index = 0; index < 7; index += 1) await endedRun(engine, `r${index}`);
    await expect.poll(() => told.length).toBe(7);
    expect(most).toBe(2);
    await delivery.stop();
    await endedRun(engine, 'late');
    await settled();
    expect(told).toHaveLength(7);
    delivery.start();
    await expect.poll(() => told.length).toBe(8);
  });

  it('stops with its signal and survives a store that fails', async () => {
    const source = memoryEngine();
    await endedRun(source, 'r');
    let broken = true;
    const engine: Engine = {
      ...source,
      leaseNotices: async (lease) => {
        if (!broken) return source.leaseNotices(lease);
        broken = false;
        throw new Error('the disk is gone');
      },
    };
    const told: string[] = [];
    const controller = new AbortController();
    const delivery = deliverNotices(engine, {
      targets: { ops: ({ runId }) => told.push(runId) },
      pollMs: 2,
      signal: controller.signal,
    });
    delivery.start();
    await expect.poll(() => told).toEqual(['r']);
    controller.abort();
    await delivery.stop();
    await endedRun(source, 'late');
    await settled();
    expect(told).toEqual(['r']);
  });
});
