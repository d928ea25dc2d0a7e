import { userInfo } from 'node:os';

/** Who uses the command line, for the journal: FULLSTOP_USER, else the name of the user. */
export function userName(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['FULLSTOP_USER'] || env['GITHUB_ACTOR'] || env['USER'];
  if (named !== undefined && named !== '') return named;
  try {
    return userInfo().username;
  } catch {
    // A user without a name, as in some containers.
    return 'someone';
  }
}
