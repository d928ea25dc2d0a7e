import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openEngine, temporaryFolder } from './engine.fixture.js';

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

it.skipIf(process.platform === 'win32')(
  'a store, its log, its index and its backups are for their owner alone',
  async () => {
    const before = process.umask(0o000);
    try {
      const folder = temporaryFolder();
      const file = join(folder, 'runs.db');
      const engine = openEngine(file);
      await engine.list({});
      await engine.backup(join(folder, 'copy.db'));
      const files = ['runs.db', 'runs.db-wal', 'runs.db-shm', 'copy.db'];
      expect(files.map((name) => `${name} ${modeOf(join(folder, name))}`)).toEqual(files.map((name) => `${name} 600`));
      await expect(engine.backup(join(folder, 'none', 'copy.db'))).rejects.toThrow();
    } finally {
      process.umask(before);
    }
  },
);

it.skipIf(process.platform === 'win32')('a store that someone shares on purpose stays shared', async () => {
  const file = join(temporaryFolder(), 'runs.db');
  writeFileSync(file, '', { mode: 0o660 });
  const wide = modeOf(file);
  await openEngine(file).list({});
  expect(modeOf(file)).toBe(wide);
});
