import type { Commits } from './commits.js';
import type { VerifiedJournal } from './engine-options.js';
import type { StoredEntry } from './operations.js';

/** Reads a journal part by part: whatever else is asked of the store meanwhile waits for one part, not for all of a long journal. */
export async function readVerified(commits: Commits, runId: string): Promise<VerifiedJournal> {
  const entries: StoredEntry[] = [];
  for (let seen: readonly StoredEntry[] = []; ; ) {
    const part = await commits.ask('verified', { runId, seen });
    if ('verification' in part && part.verification.status !== 'consistent')
      return { verification: part.verification, entries: [] };
    for (const entry of part.entries) entries.push(entry);
    if ('verification' in part) return { verification: part.verification, entries };
    seen = part.seen;
  }
}
