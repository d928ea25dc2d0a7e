import { describe, expect, it } from 'vitest';
import { claimed, openEngine, segmentEnded, temporaryFile } from './engine.fixture.js';

describe('changes', () => {
  it('names the runs with new entries, whoever appended them, and each only once', async () => {
    const file = temporaryFile();
    const [writer, follower] = [openEngine(file), openEngine(file)];
    await writer.start({ runId: 'a', name: 'work', version: '1' });
    const { at: before, ...nothing } = await follower.changes();
    expect(nothing).toEqual({ runIds: [], complete: true });
    expect(await follower.changes(before)).toEqual({ at: before, runIds: [], complete: true });
    await writer.start({ runId: 'b', name: 'work', version: '1' });
    const session = await claimed(writer, 'a');
    await session.conclude(segmentEnded(session), []);
    const after = await follower.changes(before);
    expect([...after.runIds].sort()).toEqual(['a', 'b']);
    expect(after.complete).toBe(true);
    expect(await follower.changes(after.at)).toEqual({ at: after.at, runIds: [], complete: true });
  });

  it('says so where runs were removed, and where more changed than it lists', async () => {
    const engine = openEngine(temporaryFile());
    const start = await engine.changes();
    await engine.start({ runId: 'gone', name: 'work', version: '1' });
    const { at } = await engine.changes();
    await engine.erase('gone');
    expect(await engine.changes(at)).toMatchObject({ complete: false });
    for (let index = 0; index <= 1000; index += 1)
      await engine.start({ runId: `run-${index}`, name: 'work', version: '1' });
    const many = await engine.changes(start.at);
    expect([many.runIds.length, many.complete]).toEqual([1000, false]);
  });

  it('refuses a place that is none', async () => {
    const engine = openEngine(temporaryFile());
    await expect(engine.changes(-1)).rejects.toThrow('after');
  });
});
