import { describe, expect, it } from 'vitest';
import { terminations } from '../../termination/terminations.js';
import type { InboxMessage } from '../port/engine.js';
import {
  claimed,
  eventually,
  handClock,
  openEngine,
  pausedOn,
  requestOpened,
  segmentEnded,
  startAndClaim,
  takeOver,
  temporaryFile,
} from './engine.fixture.js';

const approve = { decision: 'approve', by: 'maria' } as const;

describe('an answer', () => {
  it('reaches a running segment of the same process at once and is consumed by its entry', async () => {
    const clock = handClock();
    const engine = openEngine(undefined, { clock });
    const session = await startAndClaim(engine, 'run');
    const heard: InboxMessage[] = [];
    session.listen((message) => heard.push(message));
    session.append(requestOpened({ id: 'ok', type: 'approval' }));
    await session.flush();
    expect((await engine.openRequests('run')).map(({ id }) => id)).toEqual(['ok']);
    const at = clock.now();
    expect(await engine.answer('run', 'ok', approve)).toEqual({ status: 'delivered', at });
    expect(heard).toEqual([{ type: 'answer', requestId: 'ok', answer: approve, at }]);
    // Until its entry is written, a new listener gets it again.
    const again: InboxMessage[] = [];
    session.listen((message) => again.push(message));
    expect(again).toEqual(heard);
    session.append({
      type: 'request_answered',
      scope: '',
      ordinal: 0,
      at,
      data: { answer: { ...approve, requestId: 'ok', at } },
    });
    await session.flush();
    expect(await engine.openRequests('run')).toEqual([]);
    clock.advance(5);
    expect(await engine.answer('run', 'ok', { decision: 'deny', by: 'paul' })).toEqual({
      status: 'already',
      at,
      by: 'maria',
    });
    await session.park(undefined);
    expect(await engine.claim('run', 'w')).toBeUndefined();
  });

  it('reaches a running segment of another engine on the file, and later its next owner', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const [one, other] = [openEngine(file, { clock }), openEngine(file, { clock })];
    const session = await startAndClaim(one, 'run');
    const heard: InboxMessage[] = [];
    session.listen((message) => heard.push(message));
    session.append(requestOpened({ id: 'ok', type: 'approval' }));
    await session.flush();
    await other.answer('run', 'ok', approve);
    await eventually(() => heard.length === 1);
    const next = await takeOver(other, 'run', clock);
    const again: InboxMessage[] = [];
    next.listen((message) => again.push(message));
    expect(again).toEqual(heard);
  });

  it('opens the next segment of a paused run', async () => {
    const engine = openEngine();
    const session = await startAndClaim(engine, 'run');
    session.append(requestOpened({ id: 'ok', type: 'approval' }));
    await session.conclude(segmentEnded(session, pausedOn('ok')), []);
    expect((await engine.ending('run'))?.termination.kind).toBe('interaction_pending');
    await engine.answer('run', 'ok', approve);
    expect(await engine.summary('run')).toMatchObject({ state: 'ready', segment: 2 });
    expect(await engine.ending('run')).toBeUndefined();
    const next = await claimed(engine, 'run');
    expect(next.history.at(-1)).toMatchObject({
      type: 'segment_opened',
      segment: 2,
      data: { from: 1, because: 'answer', by: 'maria' },
    });
  });

  it('that comes while the run is being parked wakes it; one that was there all the time does not', async () => {
    const engine = openEngine();
    const session = await startAndClaim(engine, 'run');
    session.append(requestOpened({ id: 'ok', type: 'approval' }));
    await session.flush();
    const ending = segmentEnded(session, pausedOn('ok'));
    await Promise.all([engine.answer('run', 'ok', approve), session.conclude(ending, [])]);
    const second = await claimed(engine, 'run');
    expect(second.segment).toBe(2);
    await second.conclude(segmentEnded(second, pausedOn('other')), []);
    expect(await engine.summary('run')).toMatchObject({ state: 'parked', segment: 2 });
  });

  it('is refused for what was never asked, for runs that are over and for unknown ones', async () => {
    const engine = openEngine();
    expect(await engine.answer('run', 'ok', approve)).toEqual({ status: 'unknown' });
    const session = await startAndClaim(engine, 'run');
    expect(await engine.answer('run', 'ok', approve)).toEqual({ status: 'unknown' });
    session.append(requestOpened({ id: 'ok', type: 'approval' }));
    await session.conclude(segmentEnded(session), []);
    expect(await engine.answer('run', 'ok', approve)).toEqual({ status: 'ended' });
  });

  it('is refused after an expiry, also one that decided by itself', async () => {
    const engine = openEngine();
    const session = await startAndClaim(engine, 'run');
    const deadline = 1_800_000_000_500;
    session.append(requestOpened({ id: 'ok', type: 'approval', deadline }));
    session.append({
      type: 'request_expired',
      scope: '',
      ordinal: 0,
      at: deadline,
      data: { requestId: 'ok', deadline, onExpiry: 'approve' },
    });
    await session.flush();
    expect(await engine.openRequests('run')).toEqual([]);
    expect(await engine.answer('run', 'ok', approve)).toEqual({ status: 'expired', deadline });
    const answer = { decision: 'approve', requestId: 'ok', at: deadline, expired: true } as const;
    session.append({ type: 'request_answered', scope: '', ordinal: 0, at: deadline, data: { answer } });
    await session.flush();
    expect(await engine.answer('run', 'ok', approve)).toEqual({ status: 'expired', deadline });
  });
});

describe('a cancellation', () => {
  it('reaches running, parked and paused runs, and says when it is too late', async () => {
    const engine = openEngine();
    expect(await engine.cancel('run', { by: 'caller' })).toBe('unknown');
    const session = await startAndClaim(engine, 'run');
    const heard: InboxMessage[] = [];
    session.listen((message) => heard.push(message));
    await engine.cancel('run', { by: 'caller', reason: 'enough' });
    expect(heard).toMatchObject([{ type: 'cancel', request: { by: 'caller', reason: 'enough' } }]);
    await session.conclude(segmentEnded(session, pausedOn('ok')), []);
    const next = await claimed(engine, 'run');
    expect(next.history.at(-1)).toMatchObject({ type: 'segment_opened', data: { because: 'cancel', by: 'caller' } });
    next.append({ type: 'cancel_requested', scope: '', ordinal: -1, at: 1_800_000_000_000, data: { by: 'caller' } });
    await engine.cancel('run', { by: 'operator' });
    await next.conclude(segmentEnded(next, terminations.cancelled({ by: 'caller' })), []);
    expect(await engine.cancel('run', { by: 'caller' })).toBe('ended');
    // It was meant for the segment that has ended, not for the one that a resume opens.
    expect(await engine.reopen({ runId: 'run', after: 2, because: 'resume' })).toEqual({
      status: 'opened',
      segment: 3,
    });
    const third = await claimed(engine, 'run');
    third.listen((message) => heard.push(message));
    expect(heard).toHaveLength(1);
  });
});

describe('a reopening', () => {
  it('is won by one of two, with its answers or not at all', async () => {
    const file = temporaryFile();
    const [one, other] = [openEngine(file), openEngine(file)];
    expect(await one.reopen({ runId: 'run', after: 1, because: 'resume' })).toEqual({ status: 'unknown' });
    const session = await startAndClaim(one, 'run');
    expect(await one.reopen({ runId: 'run', after: 1, because: 'resume' })).toEqual({ status: 'conflict', segment: 1 });
    session.append(requestOpened({ id: 'ok', type: 'approval' }));
    await session.conclude(segmentEnded(session, pausedOn('ok')), []);
    const answers = { ok: approve, never: approve };
    expect(await one.reopen({ runId: 'run', after: 1, because: 'answer', answers })).toEqual({
      status: 'refused',
      requestId: 'never',
      receipt: { status: 'unknown' },
    });
    const receipts = await Promise.all(
      [one, other].map((engine, index) =>
        engine.reopen({
          runId: 'run',
          after: 1,
          because: 'answer',
          by: `person-${index}`,
          answers: { ok: approve },
          options: { limits: { steps: 5 } },
        }),
      ),
    );
    const winner = receipts.findIndex(({ status }) => status === 'opened');
    expect(receipts[winner]).toEqual({ status: 'opened', segment: 2 });
    expect(receipts[1 - winner]).toEqual({ status: 'conflict', segment: 2, by: `person-${winner}` });
    const next = await claimed(one, 'run');
    expect(next.history.at(-1)).toMatchObject({
      data: { because: 'answer', by: `person-${winner}`, options: { limits: { steps: 5 } } },
    });
    const heard: InboxMessage[] = [];
    next.listen((message) => heard.push(message));
    expect(heard).toHaveLength(1);
    await next.conclude(segmentEnded(next), []);
    expect(await one.reopen({ runId: 'run', after: 2, because: 'resume' })).toMatchObject({
      status: 'closed',
      envelope: { segment: 2, persisted: true },
    });
  });
});
