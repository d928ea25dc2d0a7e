import type { JournalEntry } from '../port/journal-entry.js';

/** Checks that hold for every journal, with or without hashes. */
export class JournalStructure {
  count = 0;
  #runId = '';
  #segment = 1;
  #ended: { readonly open: boolean } | undefined;
  readonly #requests = new Set<string>();

  /** Why an entry cannot follow those before it; undefined when it can. */
  problemWith(entry: JournalEntry): string | undefined {
    this.count += 1;
    if (entry.seq !== this.count) return `expected entry ${this.count}, found ${entry.seq}`;
    const first = entry.type === 'run_started';
    if (this.count === 1) this.#runId = entry.runId;
    if (first !== (this.count === 1))
      return first ? 'the run starts a second time' : 'a journal begins with run_started';
    if (entry.runId !== this.#runId) return `it belongs to the run ${entry.runId}, not to ${this.#runId}`;
    return this.#segmentProblem(entry) ?? this.#requestProblem(entry);
  }

  #segmentProblem(entry: JournalEntry): string | undefined {
    if (this.#ended !== undefined) return this.#openingProblem(entry, this.#ended.open);
    if (entry.type === 'segment_opened') return `segment ${this.#segment} has no ending, but another is opened`;
    if (entry.segment !== this.#segment)
      return `expected an entry of segment ${this.#segment}, found one of segment ${entry.segment}`;
    if (entry.type !== 'segment_ended') return undefined;
    const { envelope } = entry.data;
    if (envelope.segment !== entry.segment || envelope.runId !== entry.runId)
      return 'its envelope is that of another segment or run';
    this.#ended = { open: envelope.open };
    return undefined;
  }

  /** After an ending there may be nothing but the opening of the next segment, and that only if the ending is open. */
  #openingProblem(entry: JournalEntry, open: boolean): string | undefined {
    if (!open) return `segment ${this.#segment} has a final ending, but something follows it`;
    if (entry.type !== 'segment_opened')
      return `something follows the ending of segment ${this.#segment}, and no new segment was opened`;
    if (entry.segment !== this.#segment + 1) return `segment ${entry.segment} follows segment ${this.#segment}`;
    if (entry.data.from !== this.#segment)
      return `it continues from segment ${entry.data.from} instead of ${this.#segment}`;
    this.#segment = entry.segment;
    this.#ended = undefined;
    return undefined;
  }

  #requestProblem(entry: JournalEntry): string | undefined {
    if (entry.type === 'request_opened') this.#requests.add(entry.data.request.id);
    if (entry.type === 'request_expired' && !this.#requests.has(entry.data.requestId))
      return neverOpened(entry.data.requestId, 'expires');
    if (entry.type === 'request_withdrawn')
      return this.#requests.delete(entry.data.requestId)
        ? undefined
        : neverOpened(entry.data.requestId, 'is withdrawn');
    if (entry.type !== 'request_answered') return undefined;
    const { requestId } = entry.data.answer;
    return this.#requests.delete(requestId) ? undefined : neverOpened(requestId, 'is answered');
  }
}

function neverOpened(requestId: string, what: string): string {
  return `the request ${JSON.stringify(requestId)} ${what}, but it is not open`;
}
