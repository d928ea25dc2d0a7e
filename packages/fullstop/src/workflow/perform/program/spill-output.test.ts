import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecrets } from '../../../run/secrets/secrets.js';
import { privateFolder, spillOutput } from './spill-output.js';

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'fullstop-spill-'));
});
afterEach(() => rmSync(temporary, { recursive: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('an output that is spilled', () => {
  it('is in a file of its own that only its user can read, without secrets', () => {
    const secrets = createSecrets({ API_KEY: 'sk-very-secret' });
    const directory = join(temporary, 'named');
    const file = spillOutput({ name: 'a/b', text: 'key sk-very-secret', directory, secrets });
    expect(dirname(file)).toBe(directory);
    expect(readFileSync(file, 'utf8')).toBe('key ‹API_KEY›');
    if (process.platform !== 'win32') expect([modeOf(file), modeOf(directory)]).toEqual([0o600, 0o700]);
  });
});

describe.skipIf(process.getuid === undefined)('the folder of a user', () => {
  const uid = process.getuid?.() ?? 0;
  const refusal = expect.objectContaining({ code: 'SPILL_FOLDER_FOREIGN' });

  it('is one for each user, and private', () => {
    const folder = privateFolder({ temporary });
    expect(folder).toBe(join(temporary, `fullstop-${uid}`));
    expect(modeOf(folder)).toBe(0o700);
    expect(privateFolder({ temporary })).toBe(folder);
  });

  it('is made private again where it was not', () => {
    const folder = privateFolder({ temporary });
    chmodSync(folder, 0o777);
    privateFolder({ temporary });
    expect(modeOf(folder)).toBe(0o700);
  });

  it('is refused where someone else made it', () => {
    // For the other user it is we who made it in advance.
    mkdirSync(join(temporary, `fullstop-${uid + 1}`));
    expect(() => privateFolder({ temporary, uid: uid + 1 })).toThrow(refusal);
    expect(() => privateFolder({ temporary, uid: uid + 1 })).toThrow(`belongs to user ${uid}`);
  });

  it('is refused where it is a link', () => {
    mkdirSync(join(temporary, 'elsewhere'));
    symlinkSync(join(temporary, 'elsewhere'), join(temporary, `fullstop-${uid}`));
    expect(() => privateFolder({ temporary })).toThrow(refusal);
  });
});
