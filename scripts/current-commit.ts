import { execFileSync } from 'node:child_process';
import { root } from './published-packages.js';

/** The commit that a long test ran on, for its stored result. */
export function currentCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    // Not a clone; the result is still valid.
    return 'unknown';
  }
}
