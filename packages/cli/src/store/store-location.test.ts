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
    expect(where('a.db', { FULLSTOP_STORE: 'b.db' }, 'c.db')).toEqual({ file: '/here/a.db', origin: '--store' });
    expect(where(undefined, { FULLSTOP_STORE: 'b.db' }, 'c.db')).toEqual({
      file: '/here/b.db',
      origin: 'FULLSTOP_STORE',
    });
    expect(where(undefined, {}, 'c.db')).toEqual({
      file: '/conf/c.db',
      origin: { config: '/conf/fullstop.config.json' },
    });
    expect(where(undefined)).toEqual({ file: '/here/.fullstop/runs.db', origin: 'default' });
  });

  it.each(['postgres://localhost/runs', 'postgresql://localhost/runs'])(
    'says plainly that %s is not available yet',
    (url) => {
      expect(() => where(url)).toThrow(UsageError);
      expect(() => where(undefined, { FULLSTOP_STORE: url })).toThrow('not available yet');
    },
  );

  it('refuses other addresses', () => {
    expect(() => where('https://example.com/runs.db')).toThrow('is an address of another kind');
  });
});
