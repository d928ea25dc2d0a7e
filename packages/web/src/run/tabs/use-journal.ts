import { useCallback, useEffect, useRef, useState } from 'react';
import type { JournalPage, PagedEntry } from '../../../../cli/src/dashboard/api/journal.js';
import { type ApiFailure, getJson, withParameters } from '../../api/client.js';
import { runPath } from '../run-data.js';
import { shownText } from '../text/shown-text.js';

export interface JournalRow {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly scope: string;
  readonly key: string | undefined;
  /** The beginning of its data on one line; made when it is first shown. */
  readonly line: string;
  readonly entry: PagedEntry;
}

export interface Journal {
  readonly count: number;
  readonly isLoading: boolean;
  readonly failure: ApiFailure | undefined;
  readonly rowAt: (index: number) => JournalRow | undefined;
  readonly rowOf: (seq: number) => JournalRow | undefined;
  readonly placeOf: (seq: number) => number | undefined;
  /** Reads what is missing in a range of pages. */
  readonly need: (first: number, last: number) => void;
  /** Reads again what could not be read: the pages in view, wherever the reader has scrolled to. */
  readonly retry: () => void;
}

export interface JournalFilter {
  /** Types, separated by commas. */
  readonly type: string;
  readonly text: string;
  readonly head: number;
}

const pageSize = 200;
const typingTime = 250;

/** The page of a place. */
export function pageOf(place: number): number {
  return Math.floor(place / pageSize);
}

/** All entries without a filter have their number as their place, so any page can be read alone; filtered ones come page by page. */
export function useJournal(runId: string, { type, text, head }: JournalFilter): Journal {
  const sought = useSettled(text.trim());
  const isFiltered = type !== '' || sought !== '';
  const held = useRef(new Held());
  const [, setVersion] = useState(0);
  const [failure, setFailure] = useState<ApiFailure>();
  const key = `${runId}\n${type}\n${sought}`;
  if (held.current.key !== key) held.current = new Held(key);

  const read = useCallback(
    (after: number) => {
      const target = held.current;
      if (target.asked.has(after)) return;
      target.asked.add(after);
      const query = { after, limit: pageSize, type, q: sought };
      getJson<JournalPage>(withParameters(runPath(runId, '/journal'), query)).then(
        (page) => {
          target.add(page);
          setFailure(undefined);
          setVersion((version) => version + 1);
        },
        (problem: ApiFailure) => {
          target.asked.delete(after);
          setFailure(problem);
        },
      );
    },
    [runId, type, sought],
  );

  useEffect(() => {
    if (isFiltered) read(held.current.next ?? 0);
    else held.current.forget(head);
    setVersion((version) => version + 1);
  }, [read, isFiltered, head]);

  const wanted = useRef<readonly [first: number, last: number]>([0, 0]);
  const need = useCallback(
    (first: number, last: number) => {
      wanted.current = [first, last];
      if (isFiltered) {
        if (last >= pageOf(held.current.found.length - 1) && held.current.next !== undefined) read(held.current.next);
        return;
      }
      for (let page = first; page <= last; page += 1) read(page * pageSize);
    },
    [isFiltered, read],
  );
  const { rows, found, asked } = held.current;
  return {
    count: isFiltered ? found.length : head,
    isLoading: asked.size === 0 || (isFiltered && held.current.next === undefined && !held.current.isComplete),
    failure,
    rowAt: (index) => rows.get(isFiltered ? (found[index] ?? -1) : index + 1),
    rowOf: (seq) => rows.get(seq),
    placeOf: (seq) => placeOf(seq, isFiltered ? found : undefined),
    need,
    retry: () => need(...wanted.current),
  };
}

function placeOf(seq: number, found: readonly number[] | undefined): number | undefined {
  if (found === undefined) return seq - 1;
  const place = found.indexOf(seq);
  return place < 0 ? undefined : place;
}

/** The entries that were read for one question. */
class Held {
  readonly key: string;
  readonly rows = new Map<number, JournalRow>();
  /** The numbers of those that fit, in order. */
  readonly found: number[] = [];
  /** The pages that were asked for, by the entry before them. */
  readonly asked = new Set<number>();
  next: number | undefined;
  isComplete = false;

  constructor(key = '') {
    this.key = key;
  }

  add({ entries, next }: JournalPage): void {
    for (const entry of entries) {
      if (!this.rows.has(entry.seq)) this.found.push(entry.seq);
      this.rows.set(entry.seq, rowOf(entry));
    }
    this.next = next;
    this.isComplete = next === undefined;
  }

  /** The page that new entries belong to was read when it was not full. */
  forget(head: number): void {
    const last = Math.floor((head - 1) / pageSize) * pageSize;
    for (const after of this.asked)
      if (after >= last - pageSize && !this.rows.has(Math.min(after + pageSize, head))) this.asked.delete(after);
  }
}

function rowOf(entry: PagedEntry): JournalRow {
  const { seq, at, type, scope, key } = entry;
  let line: string | undefined;
  return {
    seq,
    at,
    type,
    scope,
    key,
    entry,
    get line() {
      line ??= shownText((entry.cut?.head ?? JSON.stringify(entry.data ?? null)).slice(0, 220));
      return line;
    },
  };
}

/** A text once nobody has typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingTime);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
