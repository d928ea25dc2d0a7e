import { type ReactNode, useState } from 'react';
import type { PagedEntry } from '../../../../cli/src/dashboard/api/journal.js';
import { grouped } from '../../../../cli/src/journal/number-text.js';
import { preciseTime } from '../../../../cli/src/journal/value-text.js';
import type { JsonValue } from '../../../../fullstop/src/termination/json.js';
import { useQuery } from '../../api/use-query.js';
import { Button } from '../../design/button.js';
import { Failure } from '../../design/notice.js';
import { runPath } from '../run-data.js';
import { JsonTree } from '../text/json-tree.js';
import { CodeText } from '../text/markdown-text.js';
import { shownText } from '../text/shown-text.js';
import type { JournalRow } from './use-journal.js';

interface DetailProperties {
  readonly runId: string;
  readonly row: JournalRow | undefined;
  readonly seq: number;
}

/** One entry, as a tree or raw. Of a large one the beginning is there, and the rest is read on demand. */
export function EntryDetail({ runId, row, seq }: DetailProperties): ReactNode {
  const [isRaw, setRaw] = useState(false);
  const [isWanted, setWanted] = useState(false);
  const address = runPath(runId, `/journal/${seq}`);
  const { data: whole, failure, refresh } = useQuery<PagedEntry>(isWanted ? address : undefined);
  if (row === undefined) return <p className="soft">Entry {seq} is not among those that are shown.</p>;
  const entry = whole ?? row.entry;
  return (
    <section className="entry-detail" aria-label={`Entry ${seq}`}>
      <header className="message-head">
        <strong>Entry {row.seq}</strong>
        <span className="soft">{row.type}</span>
        <span className="faint numeric">{preciseTime(row.at)}</span>
        <Button small look="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          {isRaw ? 'As a tree' : 'Raw'}
        </Button>
      </header>
      {failure !== undefined && <Failure failure={failure} retry={refresh} />}
      {entry.cut !== undefined && (
        <p className="message-head soft">
          <span>
            The first {grouped(entry.cut.head.length)} characters of {sizeText(entry.cut.bytes)}.
          </span>
          <Button small disabled={isWanted && failure === undefined} onClick={() => setWanted(true)}>
            {isWanted && failure === undefined ? 'Reading all of it…' : 'Show all of it'}
          </Button>
          <a className="button button-plain button-small" href={address} download={`${runId}-entry-${seq}.json`}>
            Download
          </a>
        </p>
      )}
      <EntryData entry={entry} isRaw={isRaw} />
    </section>
  );
}

const mostRaw = 500_000;

function EntryData({ entry, isRaw }: { readonly entry: PagedEntry; readonly isRaw: boolean }): ReactNode {
  const { cut, seq } = entry;
  if (cut !== undefined) return <CodeText text={shownText(cut.head)} label={`The beginning of entry ${seq}`} />;
  if (!isRaw) return <JsonTree value={entry.data as JsonValue} open={3} />;
  const text = JSON.stringify(entry, null, 2);
  return (
    <>
      <CodeText text={shownText(text.slice(0, mostRaw))} label={`Entry ${seq} as JSON`} />
      {text.length > mostRaw && (
        <p className="soft">
          The first {grouped(mostRaw)} of {grouped(text.length)} characters.
        </p>
      )}
    </>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
