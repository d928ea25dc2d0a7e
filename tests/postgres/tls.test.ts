import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { type Cluster, startCluster } from './cluster.js';
import { openDbos } from './dbos-engine.js';
import { ask, isPostgresMissing } from './test-database.js';

// The certificates are valid until 2126: for 127.0.0.1, signed by an authority whose key nobody has.
const folder = join(import.meta.dirname, 'tls');

const work = defineRun({ name: 'work', run: async () => terminations.naturalEnd() });

describe.skipIf(isPostgresMissing || process.env['PG_URL'] !== undefined)('a server that demands TLS', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ tls: folder });
  });
  afterAll(() => cluster?.stop());

  const bare = (): string => cluster.url.replace(/\?.*/, '');
  const failure = async (options: Parameters<typeof postgresEngine>[0]): Promise<unknown> => {
    const engine = postgresEngine(options);
    onTestFinished(() => engine.close());
    return engine.list().catch((error: unknown) => error);
  };

  test('is reached with the authority in the address', async () => {
    const engine = postgresEngine({ url: cluster.url });
    onTestFinished(() => engine.close());
    expect((await work.run(undefined, { engine })).termination.kind).toBe('natural_end');
  });

  test('is reached with the authority as an option, by DBOS and the session too', async () => {
    const engine = openDbos({ url: bare(), ssl: { ca: readFileSync(join(folder, 'authority.crt'), 'utf8') } });
    await engine.start({ runId: 'a', name: 'work', version: '1' });
    engine.worker([work]);
    await engine.waitForEnding('a', 1);
    const rows = await ask<{ name: string; ssl: boolean }>(
      cluster.url,
      "SELECT DISTINCT application_name AS name, ssl FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE application_name LIKE 'fullstop%' ORDER BY 1",
    );
    expect(rows).toEqual(['fullstop', 'fullstop dbos', 'fullstop session'].map((name) => ({ name, ssl: true })));
  });

  test('refuses a client without it, who is told what to add', async () => {
    expect(await failure({ url: bare() })).toMatchObject({
      code: 'STORE_IO',
      message: expect.stringContaining('takes only connections with TLS. Add sslmode=verify-full'),
    });
  });

  test('is refused when another authority is trusted, or none', async () => {
    const other = readFileSync(join(folder, 'other-authority.crt'), 'utf8');
    for (const options of [{ url: bare(), ssl: { ca: other } }, { url: `${bare()}?sslmode=verify-full` }])
      expect(await failure(options)).toMatchObject({
        code: 'STORE_IO',
        message: expect.stringContaining('has a certificate that is not trusted. Give the authority that signed it'),
      });
  });
});
