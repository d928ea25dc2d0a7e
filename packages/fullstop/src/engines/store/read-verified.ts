import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Commits } from './commits.js';
import type { FollowEntries } from './engine-options.js';
import type { StoreVerification } from './operations.js';

/**
 * Reads a journal part by part: whatever else is asked of the store meanwhile waits for one part, not for all of a long journal. The next part is on its way
 * while `follow` looks at one, which a store in a thread makes use of.
 */
export async function readVerified(commits: Commits, runId: string, follow: FollowEntries): Promise<StoreVerification> {
  let part = await commits.ask('verified', { runId, seen: [] });
  while ('seen' in part) {
    const next = commits.ask('verified', { runId, seen: part.seen });
    // Where `follow` throws, nobody waits for it any more.
    next.catch(() => undefined);
    // What is asked for is sent with the next turn of the event loop; without it the thread would wait for `follow`.
    await nextTurn();
    follow(part.entries);
    part = await next;
  }
  follow(part.entries);
  return part.verification;
}
