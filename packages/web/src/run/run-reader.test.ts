import { describe, expect, it } from 'vitest';
import { packTransitions } from '../../../cli/src/dashboard/view/packed-transitions.js';
import { setTransport } from '../api/client.js';
import { type HeldRun, quietTime, RunReader } from './run-reader.js';

/** A run whose entries are numbered from 1 to `head`. */
function bodyOf(head: number, after: number): object {
  const all = Array.from({ length: head }, (_, index) => ({ seq: index + 1, at: 0, path: '', to: 'running' as const }));
  return { head: { seq: head, at: 0 }, transitions: packTransitions(all.filter(({ seq }) => seq > after)) };
}

function seqs(held: HeldRun | undefined): readonly number[] {
  return held?.body?.transitions.map(({ seq }) => seq) ?? [];
}

describe('RunReader', () => {
  it('puts what is new after what it has, and loses and doubles nothing', async () => {
    let head = 3;
    const asked: string[] = [];
    setTransport(async (path) => {
      asked.push(path);
      if (path.endsWith('/head')) return Response.json({ row: { runId: 'r/1' } });
      const after = Number(new URL(path, 'http://x').searchParams.get('after') ?? 0);
      return Response.json(bodyOf(head, after));
    });
    const told: HeldRun[] = [];
    const reader = new RunReader('r/1', (held) => told.push(held));
    await reader.read();
    head = 5;
    await reader.read();
    await reader.read();
    expect(seqs(told.at(-1))).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([
      '/api/runs/r%2F1/head',
      '/api/runs/r%2F1',
      '/api/runs/r%2F1?after=3',
      '/api/runs/r%2F1?after=5',
    ]);
  });

  it('asks once more after an answer that was under way when something changed', async () => {
    let count = 0;
    setTransport(async (path) => {
      if (path.endsWith('/head')) return Response.json({});
      count += 1;
      return Response.json(bodyOf(count, 0));
    });
    const told: HeldRun[] = [];
    const reader = new RunReader('r', (held) => {
      if (held.body !== undefined) told.push(held);
    });
    const first = reader.read();
    void reader.read();
    void reader.read();
    await first;
    expect(count).toBe(1);
    await expect.poll(() => told.length).toBe(2);
    // A third question would have been wanted by now, and be waiting for its quiet time.
    await new Promise((resolve) => setTimeout(resolve, 2 * quietTime));
    expect(count).toBe(2);
  });

  it('keeps what it has when an answer fails, and says that it failed', async () => {
    let fails = false;
    setTransport(async () => {
      if (fails) throw new TypeError('no network');
      return Response.json(bodyOf(2, 0));
    });
    const told: HeldRun[] = [];
    const reader = new RunReader('r', (held) => told.push(held));
    await reader.read();
    fails = true;
    await reader.read();
    expect([seqs(told.at(-1)), told.at(-1)?.failure?.code]).toEqual([[1, 2], 'UNREACHABLE']);
  });

  it('tells what the list says first, and continues where that cannot be had', async () => {
    for (const status of [200, 404]) {
      setTransport(async (path) =>
        path.endsWith('/head') ? Response.json({ row: { runId: 'r' } }, { status }) : Response.json(bodyOf(2, 0)),
      );
      const told: HeldRun[] = [];
      await new RunReader('r', (held) => told.push(held)).read();
      const before = status === 200 ? [['r', []]] : [];
      expect(told.map((held) => [held.head?.row.runId, seqs(held)])).toEqual([...before, [undefined, [1, 2]]]);
    }
  });

  it('tells nobody after it was closed', async () => {
    setTransport(async () => Response.json(bodyOf(1, 0)));
    const told: HeldRun[] = [];
    const reader = new RunReader('r', (held) => told.push(held));
    const reading = reader.read();
    reader.close();
    await reading;
    expect(told).toEqual([]);
  });
});
