import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openEngine, rawDatabase, segmentEnded, startAndClaim, stepEnded, temporaryFile } from './engine.fixture.js';

it('an erasure says when a reader that began before keeps the text of an erased run, and removes it after that', async () => {
  const file = temporaryFile();
  const engine = openEngine(file, { busyTimeoutMs: 50 });
  for (const runId of ['run', 'other']) {
    const session = await startAndClaim(engine, runId);
    session.append(stepEnded(1, `secret of ${runId}`));
    await session.conclude(segmentEnded(session), []);
  }
  const isKept = (): boolean =>
    [file, `${file}-wal`].some((path) => readFileSync(path).includes(Buffer.from('secret of run')));
  const reader = rawDatabase(file);
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM runs').all();
  expect(await engine.erase('run')).toBe('lingering');
  expect(await engine.verify('run')).toMatchObject({ status: 'erased' });
  expect(isKept()).toBe(true);
  reader.exec('COMMIT');
  expect(await engine.erase('other')).toBe('erased');
  expect(isKept()).toBe(false);
});
