import { setTimeout as pause } from 'node:timers/promises';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { verifyJournal } from 'fullstop/journal';
import { seededRandom } from 'fullstop/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BackEnd, type ExampleProcess, followToEnd, insist, type Role, type SentEntry } from './back-end.js';

const json = { 'content-type': 'application/json' };
const approval = JSON.stringify({ approved: true, by: 'ann' });

function openBackEnd(): BackEnd {
  const backEnd = new BackEnd();
  onTestFinished(() => backEnd.close());
  return backEnd;
}

/** Does what the user of one run does: starts it, follows it, approves the payment. */
async function driveRun(url: string, onEntry: (entry: SentEntry) => void): Promise<void> {
  await insist(url, { method: 'PUT', body: 'Pay invoice 7' });
  await followToEnd(`${url}/events`, {
    onEntry,
    async onRest() {
      const { requests } = (await (await insist(url)).json()) as { requests: { id: string }[] };
      for (const { id } of requests)
        await insist(`${url}/answers/${id}`, { method: 'POST', headers: json, body: approval });
    },
  });
}

describe('the back end, killed again and again', () => {
  const kills = 10;
  const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

  it(`ends every run once, repeats nothing and loses nothing (CHAOS_SEED=${seed})`, async () => {
    const backEnd = openBackEnd();
    const random = seededRandom(seed);
    const up: Record<Role, ExampleProcess> = { serve: await backEnd.start('serve'), work: await backEnd.start('work') };
    const { port } = up.serve;
    const sent = new Map<string, SentEntry[]>();
    let seen = 0;
    let killed = 0;

    async function killOne(role: Role): Promise<void> {
      // Counted in work, not in time: a busy machine gets to it later.
      const progress = (): number => (role === 'work' ? backEnd.calls().length : seen);
      const enough = progress() + 1 + Math.floor(random() * 4);
      const { child, exit } = up[role];
      const alone = exit.then(({ code, signal, output }) => {
        throw new Error(`${role} ended by itself with ${code ?? signal}:\n${output}`);
      });
      const worked = (async () => {
        while (progress() < enough && child.exitCode === null && child.signalCode === null) await pause(2);
      })();
      await Promise.race([worked, alone]);
      await Promise.race([pause(random() ** 2 * 60), alone]);
      alone.catch(() => undefined);
      child.kill('SIGKILL');
      expect(await exit).toMatchObject({ signal: 'SIGKILL' });
      killed += 1;
      up[role] = await backEnd.start(role, role === 'serve' ? { port } : {});
    }

    async function playUser(): Promise<void> {
      while (killed < kills) {
        const runId = `run-${sent.size}`;
        const entries: SentEntry[] = [];
        sent.set(runId, entries);
        await driveRun(`http://127.0.0.1:${port}/runs/${runId}`, (entry) => {
          entries.push(entry);
          seen += 1;
        });
      }
    }

    const users = [playUser(), playUser(), playUser()];
    const both: readonly Role[] = ['serve', 'work'];
    for (let kill = 0; kill < kills; kill += 1) await killOne(both[kill % 2] as Role);
    await Promise.all(users);
    // One more, so that the last worker has ended a run too.
    const after: SentEntry[] = [];
    sent.set('after', after);
    await driveRun(`http://127.0.0.1:${port}/runs/after`, (entry) => after.push(entry));

    const engine = sqliteEngine(backEnd.store);
    onTestFinished(() => engine.close());
    const calls = backEnd.calls();
    for (const [runId, entries] of sent) {
      const journal = await engine.journal(runId);
      expect(await verifyJournal(journal)).toMatchObject({ verdict: 'consistent' });
      // What the client has is the journal: nothing is missing, nothing came twice.
      expect(entries).toEqual(JSON.parse(JSON.stringify(journal)));
      const endings = journal.flatMap((entry) => (entry.type === 'segment_ended' ? [entry.data.envelope] : []));
      expect(endings.map(({ termination, open }) => [termination.kind, open])).toEqual([
        ['interaction_pending', true],
        ['natural_end', false],
      ]);
      for (const { segment } of endings)
        await expect
          .poll(() => backEnd.notices.some(({ envelope }) => envelope.runId === runId && envelope.segment === segment))
          .toBe(true);
      // A call that is in the journal was never made again: the last one that reached the bank is the one that it holds.
      const last = new Map(
        calls.filter((call) => call.runId === runId).map((call) => [call.idempotencyKey, call.id] as const),
      );
      expect(last.size).toBe(4);
      for (const id of last.values()) expect(JSON.stringify(journal)).toContain(id);
    }
    for (const { id, idempotencyKey } of backEnd.notices) expect(idempotencyKey).toBe(id);
    const places = new Map(backEnd.notices.map(({ id, envelope }) => [id, `${envelope.runId} ${envelope.segment}`]));
    expect(new Set(places.values()).size).toBe(places.size);
    expect(places.size).toBe(sent.size * 2);
    const metrics = await (await fetch(`http://127.0.0.1:${up.work.port}/metrics`)).text();
    expect(metrics).toContain('fullstop_run_ended');
  });
});

describe('a deploy of the back end', () => {
  const runIds = Array.from({ length: 30 }, (_, index) => `run-${index}`);

  /** Starts more runs than a worker executes at once, and stops the worker when it has begun. */
  async function stopUnderWay(backEnd: BackEnd, finishMs = 0) {
    const { port } = await backEnd.start('serve');
    const url = (runId: string): string => `http://127.0.0.1:${port}/runs/${runId}`;
    for (const runId of runIds) await insist(url(runId), { method: 'PUT', body: 'Pay invoice 7' });
    const worker = await backEnd.start('work', { finishMs });
    await expect.poll(() => backEnd.calls().length, { interval: 1 }).toBeGreaterThan(0);
    worker.child.kill('SIGTERM');
    const stopped = await worker.exit;
    expect(stopped).toMatchObject({ code: 0, signal: null });
    return { url, said: stopped.output };
  }

  it('leaves runs to the next worker, which repeats no call', async () => {
    const backEnd = openBackEnd();
    const { url, said } = await stopUnderWay(backEnd);
    expect(said).toMatch(/SIGTERM: \d+ ended, [1-9]\d* left to others/);
    await backEnd.start('work');
    await Promise.all(
      runIds.map(async (runId) => {
        const entries: SentEntry[] = [];
        await driveRun(url(runId), (entry) => entries.push(entry));
        expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
        expect(entries.at(-1)?.data).toMatchObject({ envelope: { termination: { kind: 'natural_end' } } });
      }),
    );
    const keys = backEnd.calls().map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toHaveLength(4 * runIds.length);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('lets runs reach their own ending where they have the time', async () => {
    const backEnd = openBackEnd();
    const { url, said } = await stopUnderWay(backEnd, 300_000);
    expect(said).toMatch(/SIGTERM: [1-9]\d* ended, 0 left to others/);
    const calls = backEnd.calls();
    for (const runId of runIds) {
      const made = calls.filter((call) => call.runId === runId).length;
      expect([0, 3]).toContain(made);
      const { kind } = (await (await fetch(url(runId))).json()) as { kind?: string };
      expect(kind).toBe(made === 0 ? undefined : 'interaction_pending');
    }
  });

  it('ends a server that someone is connected to, and the client continues with the next one', async () => {
    const backEnd = openBackEnd();
    const server = await backEnd.start('serve');
    const url = `http://127.0.0.1:${server.port}/runs/r`;
    await insist(url, { method: 'PUT', body: 'Pay invoice 7' });
    const entries: SentEntry[] = [];
    const done = driveRun(url, (entry) => entries.push(entry));
    await expect.poll(() => entries.length).toBe(1);
    server.child.kill('SIGTERM');
    expect(await server.exit).toMatchObject({ code: 0, signal: null });
    await backEnd.start('serve', { port: server.port });
    await backEnd.start('work');
    await done;
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.at(-1)?.data).toMatchObject({ envelope: { termination: { kind: 'natural_end' } } });
  });
});

describe('the routes of the back end', () => {
  it('refuse what cannot be, and cancel a run', async () => {
    const backEnd = openBackEnd();
    const { port } = await backEnd.start('serve');
    const at = (path: string) => `http://127.0.0.1:${port}/runs/${path}`;
    const statusOf = async (path: string, init?: RequestInit) => (await fetch(at(path), init)).status;
    const put = (body: string) => ({ method: 'PUT', body });
    expect(await statusOf('r', put(' '))).toBe(400);
    expect(await statusOf('r', put('Pay invoice 7'))).toBe(202);
    expect(await statusOf('r', put('Pay invoice 7'))).toBe(200);
    expect(await statusOf('r', put('Pay invoice 8'))).toBe(409);
    expect(await statusOf('none')).toBe(404);
    expect(await statusOf('none/events')).toBe(404);
    expect(await statusOf('none', { method: 'DELETE' })).toBe(404);
    const answer = (body: string) => ({ method: 'POST', headers: json, body });
    expect(await statusOf('r/answers/payment', answer(approval))).toBe(404);
    expect(await statusOf('r/answers/payment', answer('{"approved":"perhaps"}'))).toBe(400);
    expect(await statusOf('r/answers/payment', answer('{'))).toBe(400);
    expect(await statusOf('r/events', { headers: { 'last-event-id': 'x' } })).toBe(400);
    expect(await statusOf('r', { method: 'DELETE' })).toBe(202);
    await backEnd.start('work');
    await expect.poll(async () => (await fetch(at('r'))).json()).toMatchObject({ state: 'ended', kind: 'cancelled' });
    expect(await statusOf('r', { method: 'DELETE' })).toBe(409);
    expect(backEnd.calls()).toEqual([]);
  });
});
