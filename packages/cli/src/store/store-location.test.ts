import { describe, expect, it } from 'vitest';
import { UsageError } from '../command-line/usage-error.js';
import { storeLocation } from './store-location.js';

const where = (option: string | undefined, env = {}, config?: string) =>
  storeLocation({
    option,
    env,
    cwd: '/here',
    loaded: config === undefined ? { config: {} } : { config: { store: config }, file: '/conf/fullstop.config.json' },
  });

describe('storeLocation', () => {
  it('takes the option first, then the variable, then the configuration, then the usual place', () => {
    expect(where('a.db', { FULLSTOP_STORE: 'b.db' }, 'c.db')).toMatchObject({ file: '/here/a.db', origin: '--store' });
    expect(where(undefined, { FULLSTOP_STORE: 'b.db' }, 'c.db')).toMatchObject({
      file: '/here/b.db',
      origin: 'FULLSTOP_STORE',
    });
    expect(where(undefined, {}, 'c.db')).toMatchObject({
      file: '/conf/c.db',
      origin: { config: '/conf/fullstop.config.json' },
    });
    expect(where(undefined)).toMatchObject({ file: '/here/.fullstop/runs.db', origin: 'default' });
  });

  it.each(['postgres', 'postgresql'])(
    'takes a database by its %s address, and shows it without its password',
    (scheme) => {
      const url = `${scheme}://ann:secret@db.example:5433/runs?sslmode=require`;
      const shown = `${scheme}://ann@db.example:5433/runs`;
      expect(where(url)).toMatchObject({ file: shown, server: url, origin: '--store' });
      expect(where(url).beside).toMatch(/^\/here\/.fullstop\/server-[0-9a-f]{16}$/);
      expect(where(undefined, { FULLSTOP_STORE: url })).toMatchObject({
        file: shown,
        server: url,
        origin: 'FULLSTOP_STORE',
      });
    },
  );

  it('refuses an address that cannot be read, without repeating it', () => {
    expect(() => where('postgres://ann:secret@:x/')).toThrow(UsageError);
    expect(() => where('postgres://ann:secret@:x/')).not.toThrow('secret');
  });

  it('refuses other addresses', () => {
    expect(() => where('https://example.com/runs.db')).toThrow('is an address of another kind');
    expect(() => where('mysql://ann:secret@db.example/runs')).not.toThrow('secret');
  });
});
