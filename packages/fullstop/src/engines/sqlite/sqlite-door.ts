import { inOrder } from '../door/door.js';
import type { ExtraDoor } from '../door/engine-door.js';
import { name } from '../door/readers.js';
import { storeDoor } from '../store/store-door.js';
import type { SqliteEngine } from './options.js';

/** The arguments of the methods that only an engine on a file has. */
export const sqliteDoor: ExtraDoor<SqliteEngine> = {
  ...storeDoor,
  backup: inOrder<Parameters<SqliteEngine['backup']>>(['file', name]),
};
