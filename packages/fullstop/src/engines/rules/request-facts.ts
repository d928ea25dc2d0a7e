/** An engine's knowledge of a request: enough to answer whoever answers it. */
export interface RequestFacts {
  readonly state: 'open' | 'answered' | 'expired';
  readonly deadline?: number | undefined;
  readonly answeredAt?: number | undefined;
  readonly answeredBy?: string | undefined;
}

/** The change that an entry makes to a request. */
export type RequestChange =
  | { readonly id: string; readonly to: 'open'; readonly deadline?: number | undefined }
  | { readonly id: string; readonly to: 'answered'; readonly at: number; readonly by?: string | undefined }
  | { readonly id: string; readonly to: 'expired' }
  | { readonly id: string; readonly to: 'withdrawn' };

/** The facts of a request after a change; undefined when nobody asks it any more. */
export function changeRequest(before: RequestFacts | undefined, change: RequestChange): RequestFacts | undefined {
  switch (change.to) {
    case 'open':
      return { state: 'open', deadline: change.deadline };
    case 'answered':
      return before && { ...before, state: 'answered', answeredAt: change.at, answeredBy: change.by };
    case 'expired':
      return before && { ...before, state: 'expired' };
    case 'withdrawn':
      return undefined;
  }
}
