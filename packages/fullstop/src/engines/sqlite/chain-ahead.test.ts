import { describe, expect, it } from 'vitest';
import { hashOf, verifyChain } from '../store/chain.js';
import { ChainAhead } from '../store/chain-ahead.js';
import type { EntryRow } from '../store/operations.js';
import { openEngine, rawDatabase, startAndClaim, stepEnded, temporaryFile } from './engine.fixture.js';

const claim = { run: 1, runId: 'run', segment: 1, epoch: 1 };

function row(data: string): EntryRow {
  return { scope: '', ordinal: 0, at: 1, type: 'step_ended', key: 'k', data };
}

describe('hashes that are worked out in advance', () => {
  it('form one chain over several batches', () => {
    const ahead = new ChainAhead(claim, { seq: 0, hash: '' });
    const first = ahead.add([row('1'), row('2')]);
    const second = ahead.add([row('3')]);
    expect(first?.after).toBe('');
    expect(second?.after).toBe(first?.hashes[1]);
    const hashes = [...(first?.hashes ?? []), ...(second?.hashes ?? [])];
    const rows = ['1', '2', '3'].map((data, index) => ({
      ...row(data),
      segment: 1,
      seq: index + 1,
      hash: hashes[index] ?? '',
    }));
    expect(verifyChain('run', rows)).toBeUndefined();
  });

  it('are left to the store for a value that goes to a blob, and from then on', () => {
    const ahead = new ChainAhead(claim, { seq: 0, hash: '' });
    expect(ahead.add([row('1'), row('x'.repeat(70_000))])).toBeUndefined();
    expect(ahead.add([row('2')])).toBeUndefined();
  });

  it('are not used by the store after another entry than they were made for', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const [session, other] = [await startAndClaim(engine, 'run'), await startAndClaim(engine, 'other')];
    // Somebody else has written an entry that the session does not know of.
    const raw = rawDatabase(file);
    const head = raw.prepare('SELECT hash FROM journal WHERE run = 1').all()[0]?.['hash'] as string;
    const place = { segment: 1, seq: 2, scope: '', ordinal: 9, at: 1, type: 'emitted', key: null, data: '{}' };
    raw
      .prepare(
        `INSERT INTO journal (run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (1, 1, 2, '', 9, 1, 'emitted', NULL, '{}', ?)`,
      )
      .run(hashOf(head, 'run', place));
    for (const each of [session, other]) each.append(stepEnded(1));
    // The place is taken, so nothing is written over it, and the chain that stands is whole.
    await expect(session.flush()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await other.flush();
    expect(await engine.verify('run')).toEqual({ status: 'consistent', entries: 2 });
    expect(await engine.verify('other')).toEqual({ status: 'consistent', entries: 2 });
  });

  it('are worked out anew for entries that a failing store gives back', async () => {
    const file = temporaryFile();
    const engine = openEngine(file, { busyTimeoutMs: 1 });
    const session = await startAndClaim(engine, 'run');
    const raw = rawDatabase(file);
    raw.exec('BEGIN IMMEDIATE');
    session.append(stepEnded(1));
    await expect(session.flush()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    raw.exec('ROLLBACK');
    session.append(stepEnded(2));
    await session.flush();
    session.append(stepEnded(3));
    await session.flush();
    expect(await engine.verify('run')).toEqual({ status: 'consistent', entries: 4 });
  });
});
