import { expect, it } from 'vitest';
import { environmentSecrets } from './environment-secrets.js';

it('variables are secret by their names, unless their values would be found by chance', () => {
  const env = {
    SERVICE_API_KEY: 'key-0123456789',
    PGPASSWORD: 'correct horse',
    SMTP_PASS: 'hunter2-hunter2',
    gh_token: 'ghp_0123456789abcdef',
    GOOGLE_APPLICATION_CREDENTIALS: '/home/someone/key.json',
    DB_PASSWORD: 'postgres',
    PIN_SECRET: '1234567890',
    SHORT_TOKEN: 'short',
    TOKEN_LIMIT: 'eight-or-more',
    OLDPWD: '/home/someone/elsewhere',
    EMPTY_TOKEN: undefined,
    'BAD NAME_TOKEN': 'ghp_0123456789abcdee',
  };
  expect(environmentSecrets(env)?.names).toEqual(['SERVICE_API_KEY', 'PGPASSWORD', 'SMTP_PASS', 'gh_token']);
  expect(environmentSecrets({ PATH: '/usr/bin' })).toBeUndefined();
  expect(environmentSecrets(env)?.mask('Basic key-0123456789')).toBe('Basic ‹SERVICE_API_KEY›');
});
