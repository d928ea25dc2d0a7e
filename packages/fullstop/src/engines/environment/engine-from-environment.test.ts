import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { engineFromEnvironment } from './engine-from-environment.js';
import { storePlace } from './store-place.js';

it('takes the store of the variable first, then the one that it was given', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-environment-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = async (): Promise<string> => {
    const engine = await engineFromEnvironment({ store: join(folder, 'own/runs.db'), sqlite: { thread: false } });
    const { name } = engine;
    await engine.close();
    return name;
  };
  vi.stubEnv('FULLSTOP_STORE', '');
  expect(await open()).toBe('sqlite');
  vi.stubEnv('FULLSTOP_STORE', 'postgres://ann@127.0.0.1:1/runs');
  expect(await open()).toBe('postgres');
});

it('reads files and databases, and refuses the rest without what could be a password', () => {
  expect(storePlace('runs.db', '/here')).toEqual({ type: 'file', file: '/here/runs.db' });
  expect(storePlace('postgresql://ann:secret@db/runs?sslmode=require', '/here')).toEqual({
    type: 'postgres',
    url: 'postgresql://ann:secret@db/runs?sslmode=require',
    shown: 'postgresql://ann@db/runs',
  });
  for (const named of ['mysql://ann:secret@db/runs', 'postgres://ann:secret@:x/']) {
    const refused = (): unknown => storePlace(named, '/here');
    expect(refused).toThrow(FullstopError);
    expect(refused).not.toThrow('secret');
  }
});
