import type { ReactNode } from 'react';
import { shortCost, shortCount, shortDuration } from '../../../cli/src/journal/value-text.js';
import { NextButton } from '../actions/next-button.js';
import type { RunRow } from '../api/contract.js';
import { Link } from '../app/link.js';
import { runAddress } from '../app/route.js';
import { EndingPill } from '../design/ending-pill.js';
import { Countdown, Instant } from '../design/time.js';

/** One run of the list: how it ended and why, in the row itself. */
export function RunItem({ row }: { readonly row: RunRow }): ReactNode {
  const { runId, name, look, category, sentence, startedAt, deadline, segment, conversation } = row;
  return (
    <article className={`run-item tone-${look.tone}`}>
      <div className="run-ending">
        <EndingPill look={look} />
        {category !== undefined && category !== look.word && <span className="run-category">{category}</span>}
      </div>
      <div className="run-story">
        <p className="run-title">
          <Link className="run-link" to={runAddress(runId)}>
            {name}
          </Link>
          <span className="run-id mono" title={runId}>
            {runId}
          </span>
          {segment > 1 && <span className="tag">segment {segment}</span>}
          {conversation !== undefined && <span className="tag">turn {conversation.turn}</span>}
          {deadline !== undefined && (
            <span className="run-deadline">
              <Countdown until={deadline} />
            </span>
          )}
        </p>
        <p className="run-sentence" title={sentence}>
          {sentence}
        </p>
      </div>
      <dl className="run-numbers numeric">
        <Figure name="Started">
          <Instant at={startedAt} />
        </Figure>
        <Figure name="Active time">{row.durationMs === undefined ? '–' : shortDuration(row.durationMs)}</Figure>
        <Figure name="Tokens">{tokensOf(row)}</Figure>
        <Figure name="Cost">{costOf(row)}</Figure>
      </dl>
      <div className="run-next">
        <NextButton row={row} />
      </div>
    </article>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="run-figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function tokensOf({ usage }: RunRow): ReactNode {
  return usage === undefined || usage.totalTokens === 0 ? '–' : shortCount(usage.totalTokens);
}

/** A price that is not known is said; it is never drawn as nothing. */
function costOf({ costUsd, estimated, usage }: RunRow): ReactNode {
  if (costUsd === null) return <span title="The price of a model is not known.">unknown</span>;
  if (costUsd === undefined || (costUsd === 0 && (usage?.totalTokens ?? 0) === 0)) return '–';
  return shortCost(costUsd, estimated);
}
