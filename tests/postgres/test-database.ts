import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';

/** True where there is no server: then tests on Postgres are skipped, and counted as such. */
export const isPostgresMissing: boolean = 'missing' in inject('postgres');

/** A database of its own for the tests of a file; `url` is to be read within tests. */
export function testDatabase(): { readonly url: string } {
  const server = inject('postgres');
  if ('missing' in server) return { url: '' };
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  beforeAll(() => ask(server.url, `CREATE DATABASE ${name}`));
  afterAll(() => ask(server.url, `DROP DATABASE ${name} WITH (FORCE)`));
  return { url: url.href };
}

/** The rows that one statement returns, on a connection of its own. */
export async function ask<TRow extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<TRow[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<TRow>(text, [...values]);
    return rows;
  } finally {
    await client.end();
  }
}
