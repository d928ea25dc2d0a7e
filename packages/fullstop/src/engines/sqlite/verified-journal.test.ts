import { describe, expect, it } from 'vitest';
import { terminations } from '../../termination/terminations.js';
import type { StoredEntry } from '../store/operations.js';
import { alterStore, openEngine, segmentEnded, startAndClaim, stepEnded, temporaryFile } from './engine.fixture.js';

/** More entries than one query reads, with texts of which a character has one byte, several, and two units. */
const count = 1100;
const words = ['plain', 'größer', '世界', '👩‍🚀', 'a\u0000b', '"\\\n', '\ufeffmark', ''];

async function longRun(file: string): Promise<ReturnType<typeof openEngine>> {
  const engine = openEngine(file);
  const session = await startAndClaim(engine, 'long');
  for (let index = 1; index <= count; index += 1)
    session.append(stepEnded(index, index < 1040 ? `value ${index}` : words[index % words.length]));
  await session.conclude(segmentEnded(session, terminations.naturalEnd()), []);
  return engine;
}

/** The entries of a journal part by part, and what it is worth. */
async function readAll(engine: ReturnType<typeof openEngine>, runId: string) {
  const parts: (readonly StoredEntry[])[] = [];
  const verification = await engine.readVerified(runId, (entries) => parts.push(entries));
  return { verification, parts, entries: parts.flat() };
}

describe('a journal that is verified while it is read', () => {
  it('has the entries of the journal, with their data as text', async () => {
    const engine = await longRun(temporaryFile());
    const { verification, parts, entries } = await readAll(engine, 'long');
    expect(verification).toEqual({ status: 'consistent', entries: count + 2 });
    expect(parts.map(({ length }) => length)).toEqual([1024, count + 2 - 1024]);
    expect(verification).toEqual(await engine.verify('long'));
    const read = entries.map(({ key, data, ...entry }) => ({
      ...entry,
      runId: 'long',
      data: JSON.parse(data) as unknown,
      ...(key !== null && { key }),
    }));
    expect(read).toEqual(await engine.journal('long'));
  });

  it.each([
    ['changed', "UPDATE journal SET data = replace(data, 'value 7\"', 'value 8\"') WHERE seq = 8"],
    ['no text', "UPDATE journal SET data = CAST(x'68ff61' AS TEXT) WHERE seq = 8"],
    ['moved into the next', "UPDATE journal SET data = data || 'x' WHERE seq = 8"],
    ['missing', 'DELETE FROM journal WHERE seq = 8'],
  ])('has no entries where one is %s', async (_what, sql) => {
    const file = temporaryFile();
    const engine = await longRun(file);
    alterStore(file, sql);
    const { verification, entries } = await readAll(engine, 'long');
    expect(verification).toMatchObject({ status: 'broken', seq: 8 });
    expect(entries).toEqual([]);
    expect(verification).toEqual(await engine.verify('long'));
  });

  it('has only the parts before one in which something is wrong', async () => {
    const file = temporaryFile();
    const engine = await longRun(file);
    alterStore(file, "UPDATE journal SET data = data || ' ' WHERE seq = 1050");
    const { verification, parts } = await readAll(engine, 'long');
    expect(verification).toMatchObject({ status: 'broken', seq: 1050 });
    expect(parts.map(({ length }) => length)).toEqual([1024, 0]);
    expect(verification).toEqual(await engine.verify('long'));
  });

  it('is compared with the tables beside it also where what they repeat was read long before', async () => {
    const file = temporaryFile();
    const engine = await longRun(file);
    alterStore(file, "UPDATE runs SET name = 'another'");
    expect((await readAll(engine, 'long')).verification).toMatchObject({ status: 'broken', seq: 1 });
  });

  it('lets others have their turn between its parts', async () => {
    const engine = await longRun(temporaryFile());
    const seen: string[] = [];
    const reading = engine.readVerified('long', () => seen.push('part'));
    await engine.summary('long');
    seen.push('summary');
    await reading;
    // Whoever asks when the reading has begun does not wait for the last part.
    expect([seen.length, seen.at(-1)]).toEqual([3, 'part']);
  });

  it('says of a run that is not there that it is unknown', async () => {
    expect(await readAll(openEngine(temporaryFile()), 'nobody')).toMatchObject({
      verification: { status: 'unknown' },
      entries: [],
    });
  });
});
