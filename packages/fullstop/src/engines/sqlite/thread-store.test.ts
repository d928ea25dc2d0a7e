import { describe, expect, it, onTestFinished } from 'vitest';
import { compiledEngine } from './compiled-engine.fixture.js';
import { segmentEnded, startAndClaim, stepEnded, temporaryFile } from './engine.fixture.js';

describe('a store in a thread', () => {
  it('does the same as one in the event loop', { timeout: 300_000 }, async () => {
    const { open, remove } = await compiledEngine();
    onTestFinished(remove);
    const file = temporaryFile();
    const engine = open(file, { thread: true });
    const session = await startAndClaim(engine, 'run');
    session.append(stepEnded(1));
    const first = session.flush();
    await new Promise((resolve) => setImmediate(resolve));
    // The first is under way by now, so this one goes with the next batch.
    session.append(stepEnded(2));
    await Promise.all([first, session.flush()]);
    const { headHash } = await session.conclude(segmentEnded(session), []);
    expect(await engine.verify('run', headHash)).toEqual({ status: 'proved', entries: 4, seq: 4 });
    await expect(session.flush()).rejects.toThrow('belongs to another worker');
    await expect(engine.backup(file)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await engine.close();
    await expect(engine.summary('run')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    expect(() => open('/nowhere/at/all.db', { thread: true })).toThrow('does not exist');
  });

  it('begins with the first worker that executes several runs at once, and continues with what was claimed before', async () => {
    const { open, remove } = await compiledEngine();
    onTestFinished(remove);
    let threads = 0;
    const count = (): void => {
      threads += 1;
    };
    process.on('worker', count);
    onTestFinished(() => void process.off('worker', count));
    const engine = open(temporaryFile());
    const session = await startAndClaim(engine, 'run');
    session.append(stepEnded(1));
    await session.flush();
    const idle = { name: 'other', version: '1', execute: async () => undefined };
    const alone = engine.worker([idle], { concurrency: 1 });
    session.append(stepEnded(2));
    await session.flush();
    expect(threads).toBe(0);
    const many = engine.worker([idle], { concurrency: 2 });
    session.append(stepEnded(3));
    await session.flush();
    expect(threads).toBe(1);
    const { headHash } = await session.conclude(segmentEnded(session), []);
    expect(await engine.verify('run', headHash)).toMatchObject({ status: 'proved', entries: 5 });
    await Promise.all([alone.stop(), many.stop()]);
    await engine.close();
  }, 300_000);
});
