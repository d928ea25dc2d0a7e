import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { OnExpiry } from '../../engines/port/request.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import type { RunContext } from '../run-context.js';
import { chained, sampleJournal, sha256 } from './journal.fixture.js';
import { verifyJournal } from './verify-journal.js';

const plain = await sampleJournal(memoryEngine());
const hashed = chained(plain);
const renumbered = (entries: readonly JournalEntry[]): readonly JournalEntry[] =>
  entries.map((entry, index) => ({ ...entry, seq: index + 1 }));
const indexOf = (type: JournalEntry['type']): number => plain.findIndex((entry) => entry.type === type);
const without = (type: JournalEntry['type']): readonly JournalEntry[] =>
  renumbered(plain.filter((_, index) => index !== indexOf(type)));
const inserted = (at: number, entry: JournalEntry): readonly JournalEntry[] =>
  renumbered([...plain.slice(0, at), entry, ...plain.slice(at)]);
const changed = (index: number, change: object): readonly JournalEntry[] =>
  hashed.map((entry, position) => (position === index ? ({ ...entry, ...change } as JournalEntry) : entry));

describe('a sound journal', () => {
  it('is consistent without hashes and with them', async () => {
    expect(await verifyJournal(plain)).toEqual({ verdict: 'consistent', entries: plain.length });
    expect(await verifyJournal(hashed)).toEqual({
      verdict: 'consistent',
      entries: plain.length,
      head: hashed.at(-1)?.hash,
    });
  });

  it('is proved by the head of its last ending, or of an earlier one up to there', async () => {
    const head = hashed.at(-1)?.hash ?? '';
    expect(await verifyJournal(hashed, { head, hash: sha256 })).toEqual({
      verdict: 'proved',
      entries: plain.length,
      head,
      upTo: plain.length,
    });
    const first = indexOf('segment_ended');
    expect(await verifyJournal(hashed, { head: hashed[first]?.hash ?? '' })).toMatchObject({
      verdict: 'proved',
      upTo: first + 1,
    });
  });

  it('is consistent while it is running', async () => {
    for (let count = 1; count <= plain.length; count += 1) {
      expect(await verifyJournal(plain.slice(0, count))).toMatchObject({ verdict: 'consistent', entries: count });
    }
  });

  it('may come one by one', async () => {
    async function* entries(): AsyncGenerator<JournalEntry> {
      yield* hashed;
    }
    expect(await verifyJournal(entries())).toMatchObject({ verdict: 'consistent' });
  });
});

describe('whatever a run goes through, its journal is sound', () => {
  const deadlineIn = (context: RunContext, milliseconds: number): number => context.now() + milliseconds;
  const asking = (onExpiry: OnExpiry) =>
    defineRun({
      name: onExpiry,
      run: async (context) => {
        const escalation = { to: 'boss', deadline: deadlineIn(context, 20) };
        await context.wait({ id: 'q', type: 'approval', deadline: deadlineIn(context, 10), onExpiry, escalation });
        return terminations.naturalEnd();
      },
    });

  it.each<OnExpiry>(['end', 'approve', 'reject', 'escalate'])(
    'a deadline that passes (%s), and a later one',
    async (onExpiry) => {
      const engine = memoryEngine();
      const definition = asking(onExpiry);
      const first = await definition.run(undefined, { engine, runId: 'r', onPause: 'wait' });
      expect(await verifyJournal(await engine.journal('r'))).toMatchObject({ verdict: 'consistent' });
      if (!first.open) return;
      const deadlines = { q: Date.now() + 60_000 };
      const second = await definition.resume('r', { engine, deadlines });
      expect(second.category).toBe('paused');
      await second.resume({ answers: { q: { decision: 'approve' } } });
      expect(await verifyJournal(await engine.journal('r'))).toMatchObject({ verdict: 'consistent' });
    },
  );

  it('a limit in a child, a cancellation while it is paused, and a resume after that', async () => {
    const engine = memoryEngine();
    const definition = defineRun({
      name: 'winding',
      run: async (context) => {
        context.onCancel('undo', () => 1);
        for (const name of ['a', 'b']) {
          const unit = await context.child(
            name,
            async (inner) => {
              for (let index = 0; index < 3; index += 1) await inner.step(`s${index}`, () => index);
              return terminations.naturalEnd();
            },
            { limits: { steps: 2 } },
          );
          if (unit.termination.kind !== 'natural_end') {
            return terminations.childFailed({ child: { name, path: name }, termination: unit.termination });
          }
        }
        await context.wait({ id: 'q', type: 'input' });
        return terminations.naturalEnd();
      },
    });
    let result = await definition.run(undefined, { engine, runId: 'r' });
    while (result.category === 'capacity') result = await result.resume({ limits: { steps: 9 } });
    expect(result.category).toBe('paused');
    await engine.cancel('r', { by: 'operator' });
    const cancelled = await definition.run(undefined, { engine, runId: 'r' });
    expect(cancelled.termination.kind).toBe('cancelled');
    const done = await cancelled.resume({ answers: { q: { decision: 'value' } } });
    expect(done.termination.kind).toBe('natural_end');
    expect(await verifyJournal(await done.journal())).toMatchObject({ verdict: 'consistent' });
  });
});

describe('a broken journal', () => {
  const lastSegment = { ...plain.at(-1), type: 'emitted', data: { event: 1 } } as unknown as JournalEntry;
  it.each<[string, readonly JournalEntry[], RegExp]>([
    ['nothing at all', [], /no entries/],
    ['a hole', plain.filter((_, index) => index !== 2), /expected entry 3, found 4/],
    ['no beginning', renumbered(plain.slice(1)), /begins with run_started/],
    ['two beginnings', inserted(2, plain[0]!), /starts a second time/],
    [
      'an entry of another run',
      plain.map((entry, index) => (index === 2 ? { ...entry, runId: 'other' } : entry)),
      /belongs to the run other/,
    ],
    ['a segment without an ending', without('segment_ended'), /segment 1 has no ending/],
    ['a segment without an opening', without('segment_opened'), /no new segment was opened/],
    [
      'an entry of a later segment',
      plain.map((entry, index) => (index === 1 ? { ...entry, segment: 2 } : entry)),
      /expected an entry of segment 1/,
    ],
    [
      'something behind a final ending',
      renumbered([...plain, lastSegment]),
      /has a final ending, but something follows/,
    ],
    [
      'two endings of a segment',
      inserted(indexOf('segment_ended'), plain[indexOf('segment_ended')]!),
      /no new segment was opened/,
    ],
    ['an answer that nobody asked for', without('request_opened'), /"ok" is answered, but it is not open/],
    [
      'an answer given twice',
      inserted(indexOf('request_answered'), plain[indexOf('request_answered')]!),
      /is answered, but it is not open/,
    ],
  ])('%s', async (_, entries, reason) => {
    expect(await verifyJournal(entries)).toMatchObject({
      verdict: 'broken',
      reason: expect.stringMatching(reason) as string,
    });
  });

  it('shows wherever a byte was changed', async () => {
    for (const [index] of plain.entries()) {
      const verdict = await verifyJournal(changed(index, { at: 1 }));
      expect(verdict).toEqual({
        verdict: 'broken',
        seq: index + 1,
        reason: expect.stringContaining('does not fit its hash') as string,
      });
    }
  });

  it('shows a hash that is missing', async () => {
    const { hash: _hash, ...bare } = hashed[3]!;
    expect(await verifyJournal(hashed.with(3, bare as JournalEntry))).toMatchObject({
      verdict: 'broken',
      seq: 4,
      reason: /some have none/,
    });
  });

  it('shows that it was cut, or written anew, only against a head', async () => {
    const head = hashed.at(-1)?.hash ?? '';
    expect(await verifyJournal(hashed.slice(0, -1))).toMatchObject({ verdict: 'consistent' });
    expect(await verifyJournal(hashed.slice(0, -1), { head })).toMatchObject({
      verdict: 'broken',
      reason: /cut short or was changed/,
    });
    const forged = chained(plain.map((entry) => ({ ...entry, at: entry.at + 1 })));
    expect(await verifyJournal(forged, { head })).toMatchObject({ verdict: 'broken' });
    expect(await verifyJournal(plain, { head })).toMatchObject({ verdict: 'broken', reason: /no hashes/ });
  });
});
