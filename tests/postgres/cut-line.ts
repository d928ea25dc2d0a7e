import pg from 'pg';
import { type PoolLike, Statements } from '../../packages/fullstop/src/engines/postgres/connection/sql.js';
import type { GivenPool } from '../../packages/fullstop/src/engines/postgres/index.js';
import { PostgresStore } from '../../packages/fullstop/src/engines/postgres/postgres-store.js';
import { plainText } from '../../packages/fullstop/src/engines/store/payload.js';
import { breakingPool } from './breaking-pool.js';

/** The line to a server: whether it is cut, and which answers get lost on it. */
export interface Line {
  isAway: boolean;
  /** Statements that are carried out and whose answer is lost, by a part of their text; each once. */
  readonly losing: string[];
  /** True when the line is cut with the next answer that is lost. */
  cutsThen: boolean;
  /** How many statements did not reach the server. */
  refused: number;
}

export function makeLine(): Line {
  return { isAway: false, losing: [], cutsThen: false, refused: 0 };
}

export interface CutStoreOptions {
  readonly url: string;
  readonly schema: string;
  readonly ownerId: string;
  readonly patienceMs: number;
}

/** A store at the other end of a line. */
export function storeOn(line: Line, { url, schema, ownerId, patienceMs }: CutStoreOptions): PostgresStore {
  return new PostgresStore({
    place: 'here',
    schema,
    channel: 'changes',
    codec: plainText,
    ownerId,
    session: undefined,
    limits: '',
    openPool: async () => poolOn(line, url),
    statements: new Statements(schema, true),
    patienceMs,
  });
}

export function poolOn(line: Line, url: string): GivenPool & PoolLike {
  const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)) };
  const config = { connectionString: url, types: types as never, pipeline: true };
  return breakingPool(new pg.Pool(config), {
    isAway: () => {
      if (line.isAway) line.refused += 1;
      return line.isAway;
    },
    isLost: (text) => {
      const place = line.losing.findIndex((words) => text.includes(words));
      if (place === -1) return false;
      line.losing.splice(place, 1);
      line.isAway ||= line.cutsThen;
      return true;
    },
  });
}
