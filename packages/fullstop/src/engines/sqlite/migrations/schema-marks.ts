import { sha256 } from '../../store/chain.js';
import { integer, text } from '../core/rows/columns.js';
import { damagedRow } from '../core/rows/damaged-row.js';
import { Select } from '../core/rows/select.js';
import type { Database } from '../driver/driver.js';

const objectColumns = { name: text('name'), sql: text('sql') };
const markColumns = { name: text('name'), hash: text('hash') };
const countColumn = { count: integer('count(*)') };

/** Notes what the tables, indexes and triggers are made of: SQLite would execute a text in which a bit has changed. */
export function markSchema(database: Database): void {
  const mark = database.prepare('INSERT OR REPLACE INTO schema_marks (name, hash) VALUES (?, ?)');
  for (const [name, hash] of schemaOf(database)) mark.run(name, hash);
}

/** Throws where one of them is not as it was made, or is gone. Those that others have added are theirs. */
export function checkSchema(database: Database, file: string): void {
  try {
    const objects = schemaOf(database);
    const marks = new Select(database, markColumns, 'FROM schema_marks').all();
    const changed = marks.find(({ name, hash }) => objects.get(name) !== hash);
    const isComplete =
      new Select(database, countColumn, "FROM schema_marks WHERE name = 'schema_marks'").get()?.count === 1;
    if (changed !== undefined || !isComplete)
      throw damagedRow(`${changed?.name ?? 'schema_marks'} in ${file} is not as it was made`);
  } catch (error) {
    // A table of ours without one of its columns, or without its name.
    const isOurs = error instanceof Error && /no such (table|column)/.test(error.message);
    throw isOurs ? damagedRow(`the schema of ${file} is not as it was made`) : error;
  }
}

function schemaOf(database: Database): ReadonlyMap<string, string> {
  const objects = new Select(
    database,
    objectColumns,
    "FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
  ).all();
  return new Map(objects.map(({ name, sql }) => [name, sha256(sql)]));
}
