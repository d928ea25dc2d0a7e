import { describe, expect, it } from 'vitest';
import type { RunSession } from '../port/engine.js';
import { privateEngine } from './private-engine.js';

const start = { runId: 'r', name: 'n', version: '1' };

describe('an engine that only one run knows', () => {
  it('knows the same run by the calls of its own and by those of the whole engine', async () => {
    const engine = privateEngine();
    expect(await engine.start(start)).toBe('started');
    const session = (await engine.claim('r', 'w')) as RunSession;
    expect(session.identity).toEqual(start);
    expect(await engine.ending('r')).toBeUndefined();
    expect((await engine.summary('r'))?.state).toBe('running');
    expect((await engine.journal('r')).map(({ type }) => type)).toEqual(['run_started']);
    expect(await engine.start(start)).toBe('exists');
    expect(await engine.claim('r', 'other')).toBeUndefined();
  });

  it('refuses what the door of the memory engine refuses', async () => {
    const engine = privateEngine();
    await expect(engine.start({ ...start, runId: '' })).rejects.toThrow('start: runId is');
    await expect(engine.summary(true as never)).rejects.toThrow('summary: runId is true');
  });

  it('guards its sessions', async () => {
    const engine = privateEngine();
    await engine.start(start);
    const session = (await engine.claim('r', 'w')) as RunSession;
    expect(() => session.append({ type: 'emitted' } as never)).toThrow('append');
  });
});
