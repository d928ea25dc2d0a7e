import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../scripts/published-packages.js';
import { isPostgresMissing, testDatabase } from '../postgres/test-database.js';
import { Place } from './binary.js';

const database = testDatabase();
const entry = pathToFileURL(join(root, 'packages/fullstop/dist/engines/environment/index.js')).href;
/** Starts a run on the store of its environment, and says which engine that was. */
const program = `
  import { engineFromEnvironment } from '${entry}';
  try {
    const engine = await engineFromEnvironment();
    await engine.start({ runId: 'of-program', name: 'any', version: '1' });
    console.log(engine.name);
    await engine.close();
  } catch ({ code, message }) {
    console.log(code + ': ' + message);
  }
`;

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

async function runProgram(env: Readonly<Record<string, string>>): Promise<string> {
  const { FULLSTOP_STORE: _, ...inherited } = process.env;
  const given = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, given, {
    cwd: place.folder,
    env: { ...inherited, ...env },
  });
  return stdout.trim();
}

describe('a program that follows FULLSTOP_STORE', () => {
  it.each([{}, { FULLSTOP_STORE: '' }, { FULLSTOP_STORE: 'stores/mine.db' }])(
    'uses the file that the command uses with %o',
    async (env) => {
      expect(await runProgram(env)).toBe('sqlite');
      expect((await place.run(['runs', '--ids'], env)).stdout).toBe('of-program\n');
    },
  );

  it.skipIf(isPostgresMissing)('uses the database that the command uses', async () => {
    const env = { FULLSTOP_STORE: database.url };
    expect(await runProgram(env)).toBe('postgres');
    expect((await place.run(['runs', '--ids'], env)).stdout).toBe('of-program\n');
  });

  it('is told what a store may be, without its password', async () => {
    const said = await runProgram({ FULLSTOP_STORE: 'mysql://ann:secret@db.example/runs' });
    expect(said).toBe(
      'INVALID_OPTION: A store is a file, or a database such as postgres://user@host/runs; mysql://… is an address of another kind.',
    );
  });
});
