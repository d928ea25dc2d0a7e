import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import type { Database } from '../driver/driver.js';
import { checkSchema, markSchema } from './schema-marks.js';
import { version1 } from './version-1.js';
import { version2 } from './version-2.js';
import { version3 } from './version-3.js';
import { version4 } from './version-4.js';
import { version5 } from './version-5.js';
import { version6 } from './version-6.js';
import { version7 } from './version-7.js';
import { version8 } from './version-8.js';
import { version9 } from './version-9.js';
import { version10 } from './version-10.js';

/** The steps that bring a file from each version to the next; the first makes it from an empty one. */
const steps: readonly string[] = [
  version1,
  version2,
  version3,
  version4,
  version5,
  version6,
  version7,
  version8,
  version9,
  version10,
];

/** Set in the header of our files, so that a database of another program is not taken for one of ours: "FSTP". */
const applicationId = 0x4653_5450;

/** Brings a file to the newest schema, or says why it cannot be used. */
export function migrate(database: Database, file: string): void {
  if (versionOf(database, file) === steps.length) {
    checkSchema(database, file);
    return;
  }
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been quicker.
    for (let version = versionOf(database, file); version < steps.length; version += 1) {
      database.exec(steps[version] as string);
      database.exec(`PRAGMA user_version = ${version + 1}`);
    }
    markSchema(database);
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Says why a file cannot be used as it is; changes nothing. */
export function checkReadable(database: Database, file: string): void {
  const version = versionOf(database, file);
  if (version === steps.length) {
    checkSchema(database, file);
    return;
  }
  throw new FullstopError(
    'STORE_READ_ONLY',
    version === 0
      ? `${file} is empty: no run was ever kept in it. It was not touched.`
      : `${file} was written by an older version of fullstop (schema ${version}; this one reads schema ${steps.length}). Open it once where it may be written, which brings it up to date; it was not touched.`,
  );
}

function versionOf(database: Database, file: string): number {
  const version = database.prepare<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;
  const owner = database.prepare<{ application_id: number }>('PRAGMA application_id').get()?.application_id ?? 0;
  const tables = database.prepare<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema').get()?.count ?? 0;
  if (owner !== applicationId && tables > 0) {
    throw new FullstopError(
      'STORE_NOT_A_DATABASE',
      `${file} is a SQLite database of another program. Give the engine a file of its own; it was not touched.`,
    );
  }
  if (version > steps.length) {
    throw new FullstopError(
      'STORE_NEWER',
      `${file} was written by a newer version of fullstop (schema ${version}; this one knows schemas up to ${steps.length}). Update fullstop, or use another file; it was not touched.`,
    );
  }
  return version;
}
