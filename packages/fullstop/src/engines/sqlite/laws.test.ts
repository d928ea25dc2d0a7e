import { describe, expect, it } from 'vitest';
import { terminations } from '../../termination/terminations.js';
import { openEngine, rawDatabase, segmentEnded, startAndClaim, stepEnded, temporaryFile } from './engine.fixture.js';

const failure = terminations.failed({ error: { name: 'Error', message: 'no' }, origin: 'body', errorClass: 'unknown' });

async function endedFile(closed: boolean): Promise<string> {
  const file = temporaryFile();
  const engine = openEngine(file);
  const session = await startAndClaim(engine, 'run');
  await session.conclude(segmentEnded(session, closed ? terminations.naturalEnd() : failure), []);
  await engine.close();
  return file;
}

const journalColumns = 'run, segment, seq, scope, ordinal, at, type, data, hash';

describe('the database itself', () => {
  it('refuses a second closed ending, whatever its segment', async () => {
    const raw = rawDatabase(await endedFile(true));
    expect(() => raw.exec('INSERT INTO endings (run, segment, seq, closed) VALUES (1, 2, 9, 1)')).toThrow(/UNIQUE/);
  });

  it('refuses a second ending of a segment', async () => {
    const raw = rawDatabase(await endedFile(false));
    expect(() => raw.exec('INSERT INTO endings (run, segment, seq, closed) VALUES (1, 1, 9, 0)')).toThrow(/UNIQUE/);
  });

  it('refuses an entry after a closed ending, in a new segment too', async () => {
    const raw = rawDatabase(await endedFile(true));
    for (const segment of [1, 2]) {
      const append = `INSERT INTO journal (${journalColumns}) VALUES (1, ${segment}, 3, '', 0, 0, 'step_ended', '{}', '')`;
      expect(() => raw.exec(append)).toThrow('nothing is appended behind an ending');
    }
  });

  it('refuses an entry after an open ending of the same segment and takes one of the next', async () => {
    const raw = rawDatabase(await endedFile(false));
    const append = (segment: number): void =>
      raw.exec(`INSERT INTO journal (${journalColumns}) VALUES (1, ${segment}, 3, '', 0, 0, 'x', '{}', '')`);
    expect(() => append(1)).toThrow('nothing is appended behind an ending');
    expect(() => append(2)).not.toThrow();
  });

  it('refuses a second entry in the same place, and any change of one', async () => {
    const raw = rawDatabase(await endedFile(false));
    expect(() => raw.exec(`INSERT INTO journal (${journalColumns}) VALUES (1, 2, 1, '', 0, 0, 'x', '{}', '')`)).toThrow(
      /UNIQUE/,
    );
    expect(() => raw.exec("UPDATE journal SET data = '{}'")).toThrow('entries never change');
    expect(() => raw.exec('UPDATE endings SET closed = 0')).toThrow('endings never change');
  });

  it('keeps one answer per request', async () => {
    const raw = rawDatabase(await endedFile(false));
    const answer = "INSERT INTO inbox (run, type, request, at, data) VALUES (1, 'answer', 'ok', 0, '{}')";
    raw.exec(answer);
    expect(() => raw.exec(answer)).toThrow(/UNIQUE/);
  });
});

describe('a session whose segment has ended', () => {
  it('cannot write any more', async () => {
    const engine = openEngine();
    const session = await startAndClaim(engine, 'run');
    await session.conclude(segmentEnded(session), []);
    session.append(stepEnded(1));
    await expect(session.flush()).rejects.toThrow('belongs to another worker');
    await expect(session.conclude(segmentEnded(session), [])).rejects.toThrow('belongs to another worker');
    expect((await engine.journal('run')).map(({ type }) => type)).toEqual(['run_started', 'segment_ended']);
  });
});
