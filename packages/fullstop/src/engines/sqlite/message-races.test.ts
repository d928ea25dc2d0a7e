import { describe, expect, it } from 'vitest';
import { defineRun } from '../../run/define-run.js';
import { end } from '../../run/ending/body-result.js';
import { terminations } from '../../termination/terminations.js';
import type { InboxMessage } from '../port/engine.js';
import { Commits } from '../store/commits.js';
import { toStoredRun } from '../store/entry-row.js';
import { Lease } from '../store/lease.js';
import type { Operation, Outcome } from '../store/operations.js';
import { Watch } from '../store/watch.js';
import { StoreCore } from './core/store-core.js';
import { findDriver } from './driver/driver.js';
import { eventually, handClock, openEngine, requestOpened, startAndClaim, temporaryFile } from './engine.fixture.js';

const approve = { decision: 'approve', by: 'maria' } as const;
/** The owner does not look at the file by itself during a test. */
const blind = { pollMs: 3_600_000 };

describe('an answer from another process just before the deadline', () => {
  it('wins over the expiry of an owner that has not seen it', async () => {
    const [file, clock] = [temporaryFile(), handClock()];
    const [owner, other] = [openEngine(file, { clock, ...blind }), openEngine(file, { clock })];
    const session = await startAndClaim(owner, 'run');
    const heard: InboxMessage[] = [];
    session.listen((message) => heard.push(message));
    const deadline = clock.now() + 100;
    session.append(requestOpened({ id: 'seen', type: 'approval', deadline }, 0));
    session.append(requestOpened({ id: 'missed', type: 'approval', deadline }, 1));
    await session.flush();
    clock.advance(99);
    expect(await other.answer('run', 'seen', approve)).toMatchObject({ status: 'delivered' });
    clock.advance(1);
    expect(await session.expire?.('seen')).toBe(false);
    expect(heard).toMatchObject([{ type: 'answer', requestId: 'seen', answer: approve }]);
    // Where nobody was in time, nobody is any more, whatever clock they go by.
    expect(await session.expire?.('missed')).toBe(true);
    clock.advance(-50);
    expect(await other.answer('run', 'missed', approve)).toMatchObject({ status: 'expired' });
  });

  it.each(['reject', 'end'] as const)('is what the body gets (on expiry: %s)', async (onExpiry) => {
    const [file, clock] = [temporaryFile(), handClock()];
    const [owner, other] = [openEngine(file, { clock, ...blind }), openEngine(file, { clock })];
    const deadline = clock.now() + 100;
    const asking = defineRun({
      name: 'asking',
      run: async (context, _input: undefined) => {
        const { by } = await context.wait({ id: 'ok', type: 'approval', deadline, onExpiry });
        return end(terminations.naturalEnd(), by ?? 'nobody');
      },
    });
    const result = asking.run(undefined, { engine: owner, runId: 'run', onPause: 'wait' });
    await eventually(async () => (await other.openRequests('run')).length === 1);
    clock.advance(99);
    expect(await other.answer('run', 'ok', approve)).toMatchObject({ status: 'delivered' });
    clock.advance(1);
    expect(await result).toMatchObject({ termination: { kind: 'natural_end' }, output: 'maria' });
  });

  it('is refused to an owner that was fenced out', async () => {
    const file = temporaryFile();
    const owner = openEngine(file);
    const session = await startAndClaim(owner, 'run');
    await owner.close();
    await expect(session.expire?.('ok')).rejects.toThrow('belongs to another worker');
  });
});

describe('a message from another process', () => {
  it('is found for a run that was claimed after the messages were asked for', async () => {
    const file = temporaryFile();
    const [core, other] = [1, 2].map(() => new StoreCore({ driver: findDriver(), file, busyTimeoutMs: 1000 })) as [
      StoreCore,
      StoreCore,
    ];
    const run = toStoredRun({ runId: 'run', name: 'n', version: '1' });
    const owner = { id: 'me', host: 'h', space: 's', pid: 1, startedAt: '1' };
    const claimant = { owner, worker: 'w', now: 1, monotonic: 1, beat: 1, leaseMs: 1e9 };
    const asked: Operation = { name: 'messages', input: { after: 0, ownerId: 'me' } };
    core.execute([{ name: 'start', input: { run, now: 1, data: '{"name":"n","version":"1"}' } }]);
    core.execute([{ name: 'claim', input: { runId: 'run', claimant } }]);
    other.execute([{ name: 'cancel', input: { runId: 'run', by: 'operator', data: '{}', now: 2 } }]);
    expect(core.execute([asked])).toMatchObject([
      { ok: true, value: { messages: [{ runId: 'run', type: 'cancel' }] } },
    ]);
    const others: Operation = { name: 'messages', input: { after: 0, ownerId: 'someone else' } };
    expect(core.execute([others])).toMatchObject([{ ok: true, value: { messages: [] } }]);
    core.close();
    other.close();
  });

  it('is read again when reading it failed', async () => {
    let asked = 0;
    const answerTo = ({ name }: Operation): Outcome => {
      if (name === 'dataVersion') return { ok: true, value: 'same' };
      if (name !== 'messages') return { ok: true, value: [] };
      asked += 1;
      if (asked === 1) return { ok: false, failure: { code: 'STORE_FAILED', message: 'for a moment' } };
      return { ok: true, value: { messages: [], last: 0 } };
    };
    const commits = new Commits({ execute: (batch) => batch.map(answerTo), close: () => undefined });
    const owner = { id: 'me', host: 'h', space: 's', pid: 1, startedAt: '1' };
    const time = { now: () => 1, monotonic: () => 1 };
    const lease = new Lease({ owner, leaseMs: 1000, ...time });
    const watch = new Watch({ commits, owner, lease, leaseMs: 1000, pollMs: 1, ...time });
    const waiting = watch.until('run', () => undefined).catch(() => undefined);
    await eventually(() => asked >= 2);
    watch.close();
    await waiting;
  });
});
