import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useChanges } from '../../app/live.js';
import { Failure } from '../../design/notice.js';
import { runPath } from '../run-data.js';
import { shownText } from '../text/shown-text.js';
import { EntryDetail } from './entry-detail.js';
import type { TabProperties } from './tab-properties.js';
import { type JournalRow, pageOf, useJournal } from './use-journal.js';

const rowHeight = 30;
const overscan = 8;
/** More rows than a usual frame shows. */
const leastSlots = 64;
/** A page that is passed in less than this is not read: whoever drags the bar across a long journal asks for where they stop. */
const passingTime = 60;

const types = [
  'run_started segment_opened segment_ended',
  'unit_ended',
  'scope_opened',
  'step_ended',
  'recorded',
  'observed',
  'request_opened request_answered request_expired',
  'cancel_requested',
] as const;

/** Every entry, those in view only; filtered by the server, raw on demand. */
export function JournalTab({ body, at, onMoment }: TabProperties): ReactNode {
  const { runId } = body.row;
  const [type, setType] = useState('');
  const [text, setText] = useState('');
  const journal = useJournal(runId, { type, text, head: body.head.seq });
  // Once the server is back, what could not be read is read in its place.
  useChanges((change) => {
    if (change === 'everything' && journal.failure !== undefined) journal.retry();
  });
  const [chosen, setChosen] = useState<number>();
  const shown = chosen ?? at;
  const moment = useRef(onMoment);
  moment.current = onMoment;
  const choose = useCallback((seq: number) => {
    setChosen(seq);
    moment.current(seq);
  }, []);
  return (
    <div className="panel tab-panel journal">
      <div className="journal-bar">
        <label className="field">
          <span className="visually-hidden">Type of entries</span>
          <select className="input" value={type} onChange={(event) => setType(event.target.value)}>
            <option value="">all types</option>
            {types.map((each) => (
              <option key={each} value={each.replaceAll(' ', ',')}>
                {each.replaceAll(' ', ', ').replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </label>
        <label className="field journal-search">
          <span className="visually-hidden">Text in entries</span>
          <input
            className="input"
            type="search"
            placeholder="Text in entries"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <a className="button button-plain" href={runPath(runId, '/journal.jsonl')} download>
          Download
        </a>
      </div>
      {journal.failure !== undefined && <Failure failure={journal.failure} retry={journal.retry} />}
      <Entries journal={journal} shown={shown} onChoose={choose} />
      {shown !== undefined && <EntryDetail key={shown} runId={runId} row={journal.rowOf(shown)} seq={shown} />}
    </div>
  );
}

interface EntriesProperties {
  readonly journal: ReturnType<typeof useJournal>;
  readonly shown: number | undefined;
  readonly onChoose: (seq: number) => void;
}

function Entries({ journal, shown, onChoose }: EntriesProperties): ReactNode {
  const { count, rowAt, need, placeOf } = journal;
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  const items = virtualizer.getVirtualItems();
  const slots = Math.max(items.length, leastSlots);
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  const [first, last] = [pageOf(Math.max(0, from - overscan)), pageOf(Math.min(to + overscan, Math.max(count - 1, 0)))];
  // biome-ignore lint/correctness/useExhaustiveDependencies: new entries belong to a page that was read before.
  useEffect(() => {
    const timer = setTimeout(() => need(first, last), passingTime);
    return () => clearTimeout(timer);
  }, [need, first, last, count]);
  const place = shown === undefined ? undefined : placeOf(shown);
  const scrolled = useRef<number>(undefined);
  useEffect(() => {
    if (place === undefined || scrolled.current === place) return;
    scrolled.current = place;
    virtualizer.scrollToIndex(place, { align: 'auto' });
  }, [place, virtualizer]);
  if (count === 0) return <p className="soft">{journal.isLoading ? 'Reading…' : 'No entry fits.'}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <section ref={frame} className="virtual-frame" tabIndex={0} aria-label="Entries of the journal">
      <div className="virtual-space" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => (
          // A row that leaves at one end is used again at the other.
          <div key={index % slots} className="virtual-row" style={{ transform: `translateY(${start}px)` }}>
            <EntryRow row={rowAt(index)} isShown={rowAt(index)?.seq === shown} onChoose={onChoose} />
          </div>
        ))}
      </div>
    </section>
  );
}

interface EntryRowProperties {
  readonly row: JournalRow | undefined;
  readonly isShown: boolean;
  readonly onChoose: (seq: number) => void;
}

const EntryRow = memo(({ row, isShown, onChoose }: EntryRowProperties): ReactNode => {
  if (row === undefined) return <span className="entry-row faint">…</span>;
  return (
    <button type="button" className="entry-row" aria-pressed={isShown} onClick={() => onChoose(row.seq)}>
      <span className="numeric faint entry-seq">{row.seq}</span>
      <span className="entry-type">{row.type}</span>
      <span className="mono entry-key">{shownText([row.scope, row.key].filter(Boolean).join(' · '))}</span>
      <span className="mono faint entry-data">{row.line}</span>
    </button>
  );
});
