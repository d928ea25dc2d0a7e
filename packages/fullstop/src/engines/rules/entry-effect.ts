import type { EntryDraft } from '../port/journal-entry.js';
import type { Consumption } from './consumption.js';
import { type EndingFacts, readEnding } from './ending-facts.js';
import type { RequestChange } from './request-facts.js';

/** The changes that an entry makes besides lengthening the journal; an engine applies them in the same transaction. */
export interface EntryEffect {
  readonly request?: RequestChange;
  readonly consumes?: Consumption;
  readonly segment?:
    | { readonly to: 'opened'; readonly by?: string | undefined }
    | { readonly to: 'ended'; readonly ending: EndingFacts };
}

/** Undefined for most entries, which change nothing else. */
export function readEffect(draft: EntryDraft): EntryEffect | undefined {
  switch (draft.type) {
    case 'request_opened': {
      const { id, deadline } = draft.data.request;
      return { request: { id, to: 'open', deadline } };
    }
    case 'request_answered': {
      const { requestId: id, at, by, expired } = draft.data.answer;
      const consumes = { type: 'answer', requestId: id } as const;
      // An answer made by the deadline counts as expired for whoever answers later.
      return { request: expired === true ? { id, to: 'expired' } : { id, to: 'answered', at, by }, consumes };
    }
    case 'request_expired': {
      const { requestId: id } = draft.data;
      return { request: { id, to: 'expired' }, consumes: { type: 'answer', requestId: id } };
    }
    case 'request_withdrawn':
      // An answer that arrived before stays in the inbox: a later segment may ask again.
      return { request: { id: draft.data.requestId, to: 'withdrawn' } };
    case 'cancel_requested':
      return { consumes: { type: 'cancel' } };
    case 'segment_opened':
      return { segment: { to: 'opened', by: draft.data.by } };
    case 'segment_ended': {
      const ending = readEnding(draft.data.envelope);
      // A wish to cancel belongs to the segment that it was meant for: it must not stop a later one.
      const segment = { to: 'ended', ending } as const;
      return ending.state === 'ended' ? { segment, consumes: { type: 'cancel' } } : { segment };
    }
    default:
      return undefined;
  }
}
