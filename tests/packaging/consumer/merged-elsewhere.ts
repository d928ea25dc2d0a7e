import type { AnyTermination, Ending } from 'fullstop';

/** Another library's kind, merged as a plain ending in another file. */
export interface Archived extends Ending<'archive.archived', 'success', 'completion'> {
  readonly location: string;
}

declare module 'fullstop' {
  interface TerminationKinds {
    'archive.archived': Archived;
  }
}

export function locationOf(termination: AnyTermination): string | undefined {
  return termination.kind === 'archive.archived' ? termination.location : undefined;
}
