export interface ReopenFacts {
  /** The segment whose ending the caller saw. */
  readonly after: number;
  /** The run's latest segment, and who opened it. */
  readonly segment: number;
  readonly openedBy?: string | undefined;
  /** The ending of that segment, if it has one. */
  readonly ending: { readonly open: boolean } | undefined;
  /** The latest turn of its conversation, if that is another run. */
  readonly laterTurn?: string | undefined;
}

export type ReopenRefusal =
  | { readonly status: 'conflict'; readonly segment: number; readonly by?: string }
  | { readonly status: 'superseded'; readonly by: string }
  | { readonly status: 'closed' };

/** Why no segment can be opened; undefined when one can. Of two callers that saw the same ending one wins. */
export function refuseReopening(facts: ReopenFacts): ReopenRefusal | undefined {
  const { after, segment, openedBy, ending, laterTurn } = facts;
  if (ending === undefined || segment !== after)
    return { status: 'conflict', segment, ...(openedBy !== undefined && { by: openedBy }) };
  if (!ending.open) return { status: 'closed' };
  return laterTurn === undefined ? undefined : { status: 'superseded', by: laterTurn };
}
