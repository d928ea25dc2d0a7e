import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';
import { lockFolder, runHeld } from './read-only.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => {
  for (const folder of ['.fullstop', 'locked'])
    if (existsSync(place.path(folder))) chmodSync(place.path(folder), 0o755);
  place.remove();
});

/** Every command that only reads, with what shows that it has read. */
const readers: readonly (readonly [args: readonly string[], shows: string])[] = [
  [['runs'], 'refused-1'],
  [['show', 'refused-1'], 'fetch'],
  [['why', 'refused-1'], 'order is 120 days old'],
  [['events', 'refused-1'], '"segment_ended"'],
  [['events', 'refused-1', '--follow'], '"segment_ended"'],
  [['stats'], 'terminated'],
  [['verify', '--all'], '1 runs, 0 broken'],
  [['export', 'refused-1'], '"segment_ended"'],
  [['what-if', 'refused-1', '--max-iterations', '1'], 'refused-1'],
  [['doctor'], '1 run'],
];

describe('a store that may only be read', () => {
  it('is read by every command that only reads, and refuses the others before anything is changed', async () => {
    await place.run(['run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1']);
    const folder = place.path('.fullstop');
    lockFolder(folder);
    for (const [args, shows] of readers) {
      const { code, stdout, stderr } = runHeld(place, args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringContaining('error') });
      expect(stdout).toContain(shows);
    }
    for (const args of [
      ['erase', 'refused-1', '--yes'],
      ['retry', 'refused-1'],
      ['run', 'loop.yaml'],
    ]) {
      const { code, stderr } = runHeld(place, args);
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain('[STORE_READ_ONLY]');
    }
  });

  it('is read without the files that SQLite keeps beside one in use', async () => {
    await place.run(['run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1']);
    const database = new Database(place.path('.fullstop/runs.db'));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    mkdirSync(place.path('locked'));
    cpSync(place.path('.fullstop/runs.db'), place.path('locked/runs.db'));
    database.close();
    lockFolder(place.path('locked'));
    const { code, stdout } = runHeld(place, ['why', 'refused-1', '--store', 'locked/runs.db']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('order is 120 days old') });
    expect(readdirSync(place.path('locked'))).toEqual(['runs.db']);
  });
});

describe('a store that is not there', () => {
  it.each([
    ['runs'],
    ['show'],
    ['why', 'last'],
    ['events'],
    ['stats'],
    ['verify', '--all'],
    ['export', 'last'],
    ['backup', 'copy.db'],
    ['what-if', 'last', '--max-iterations', '1'],
    ['resume', 'last'],
    ['retry', 'last'],
    ['answer'],
    ['cancel', 'last'],
    ['erase', 'last'],
    ['prune', '--older-than', '1d'],
    ['dashboard'],
  ])('is not made by %s where it was named', async (...args) => {
    const { code, stderr, stdout } = await place.run([...args, '--store', 'data/rums.db']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('There is no store data/rums.db, which --store names. Nothing was made.');
    expect(existsSync(place.path('data'))).toBe(false);
  });

  it('is told apart from one that begins with the first run', async () => {
    const { code, stderr } = await place.run(['runs']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'There are no runs yet: .fullstop/runs.db does not exist. fullstop run FILE makes it; --store names another.\n',
    });
    const named = await place.run(['runs'], { FULLSTOP_STORE: 'other.db' });
    expect({ code: named.code, stderr: named.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('There is no store other.db, which FULLSTOP_STORE names.'),
    });
    place.write({ 'fullstop.config.json': '{"store": "configured.db"}' });
    expect((await place.run(['runs'])).code).toBe(0);
  });

  it('is not made of an empty file by a command that only reads', async () => {
    place.write({ 'notes.txt': '' });
    const { code, stderr } = await place.run(['runs', '--store', 'notes.txt']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('notes.txt is empty') });
    expect(readFileSync(place.path('notes.txt'))).toHaveLength(0);
  });
});
