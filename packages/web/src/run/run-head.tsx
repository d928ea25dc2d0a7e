import type { ReactNode } from 'react';
import { shortCost, shortCount, shortDuration } from '../../../cli/src/journal/value-text.js';
import { NextButton } from '../actions/next-button.js';
import type { RunRow } from '../api/contract.js';
import { Link } from '../app/link.js';
import { runAddress } from '../app/route.js';
import { CopyButton, CopyCommand } from '../design/copy-command.js';
import { EndingPill } from '../design/ending-pill.js';
import { Instant } from '../design/time.js';
import type { RunBody } from './run-data.js';
import { shownText } from './text/shown-text.js';

/** The run in one line, its segments, and what to do next. */
export function RunHead({ body }: { readonly body: RunBody }): ReactNode {
  const { row, segments, explanation } = body;
  return (
    <header className="run-head">
      <div className="run-head-title">
        <RunName row={row} />
        {explanation.forkedFrom !== undefined && (
          <Link className="tag" to={`${runAddress(explanation.forkedFrom.runId)}?at=${explanation.forkedFrom.at}`}>
            forked from {explanation.forkedFrom.runId} at entry {explanation.forkedFrom.at}
          </Link>
        )}
      </div>
      <RunFacts row={row} isResumed={segments.length > 1} />
      {segments.length > 1 && <Segments body={body} />}
      <div className="run-head-next">
        <NextButton row={row} withCommand={false} />
        {explanation.next.map(({ text, command }) => (
          <div key={`${text} ${command ?? ''}`} className="next-step">
            <span className="soft">{shownText(text)}</span>
            {command !== undefined && <CopyCommand command={command} />}
          </div>
        ))}
      </div>
    </header>
  );
}

/** The same before the journal is there. */
export function RunTitle({ row }: { readonly row: RunRow }): ReactNode {
  return (
    <header className="run-head">
      <div className="run-head-title">
        <RunName row={row} />
      </div>
      <RunFacts row={row} isResumed={row.segment > 1} />
    </header>
  );
}

function RunName({ row }: { readonly row: RunRow }): ReactNode {
  return (
    <>
      <h1>{shownText(row.name)}</h1>
      <EndingPill look={row.look} />
      <span className="mono faint">{row.runId}</span>
      <CopyButton text={row.runId} />
      {row.parent !== undefined && (
        <Link className="tag" to={runAddress(row.parent.runId)}>
          spawned by {row.parent.runId}
        </Link>
      )}
    </>
  );
}

function RunFacts({ row, isResumed }: { readonly row: RunRow; readonly isResumed: boolean }): ReactNode {
  return (
    <p className="run-head-facts numeric soft">
      <span>
        started <Instant at={row.startedAt} />
      </span>
      {row.durationMs !== undefined && <span>{shortDuration(row.durationMs)} active</span>}
      {row.usage !== undefined && row.usage.totalTokens > 0 && <span>{shortCount(row.usage.totalTokens)} tokens</span>}
      <Cost row={row} />
      {isResumed && <span>segment {row.segment}</span>}
    </p>
  );
}

function Cost({ row }: { readonly row: RunRow }): ReactNode {
  if (row.costUsd === null) return <span>cost unknown</span>;
  if (row.costUsd === undefined || row.costUsd === 0) return null;
  return <span>{shortCost(row.costUsd, row.estimated)}</span>;
}

function Segments({ body }: { readonly body: RunBody }): ReactNode {
  return (
    <ol className="segments" aria-label="Segments">
      {body.segments.map(({ segment, because, by, kind, summary }) => (
        <li key={segment} title={summary === undefined ? undefined : shownText(summary)}>
          <span className="faint">{segment}</span> {because !== undefined && <span className="soft">{because}</span>}
          {by !== undefined && <span className="soft"> by {shownText(by)}</span>} {kind ?? 'under way'}
        </li>
      ))}
    </ol>
  );
}
