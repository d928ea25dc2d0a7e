import { existsSync, statSync } from 'node:fs';
import { FullstopError } from '../../../../termination/errors/fullstop-error.js';
import type { Database, Driver } from '../../driver/driver.js';
import { checkReadable } from '../../migrations/migrate.js';
import { isReadOnly, storeErrorOf } from '../../store-error.js';
import { refuseToReadLostCommits } from './lost-commits.js';
import type { OpenMode } from './open-mode.js';

interface ReadOptions {
  readonly driver: Driver;
  readonly file: string;
  readonly busyTimeoutMs: number;
}

/**
 * Opens a store without changing it. SQLite needs two files beside one that others write to; where it may not make them, nobody writes here,
 * and the file is read as it is.
 */
export function openToRead(options: ReadOptions): Database {
  const { file } = options;
  if (!existsSync(file))
    throw new FullstopError('STORE_READ_ONLY', `${file} does not exist, and an engine that only reads makes no file.`);
  try {
    return opened(options, 'read');
  } catch (error) {
    if (!isReadOnly(error)) throw storeErrorOf(error, file);
  }
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new FullstopError(
      'STORE_READ_ONLY',
      `Entries of ${file} are still in ${log}, which SQLite can only read with a third file that it may not make here. Copy both files to a folder that this user may write to, and read them there.`,
    );
  try {
    return opened(options, 'frozen');
  } catch (error) {
    throw storeErrorOf(error, file);
  }
}

function opened({ driver, file, busyTimeoutMs }: ReadOptions, mode: OpenMode): Database {
  const database = driver.open(file, mode);
  try {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    checkReadable(database, file);
    // Nobody writes to a frozen one, and it has no log.
    if (mode === 'read') refuseToReadLostCommits(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
