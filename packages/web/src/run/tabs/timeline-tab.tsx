import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import type { Timeline, TimelineBar } from '../../../../cli/src/dashboard/view/timeline.js';
import { preciseTime, shortDuration } from '../../../../cli/src/journal/value-text.js';
import { useQuery } from '../../api/use-query.js';
import { Failure } from '../../design/notice.js';
import { runPath } from '../run-data.js';
import { toneOfCategory } from '../states.js';
import { shownText } from '../text/shown-text.js';
import { BudgetChart } from './budget-chart.js';
import { RepeatedRounds } from './repeated-rounds.js';
import type { TabProperties } from './tab-properties.js';
import { useFresh } from './use-fresh.js';

const rowHeight = 26;

/** Shows what happened when, how budgets were used up, and what repeated. */
export function TimelineTab({ body, at, onMoment }: TabProperties): ReactNode {
  const query = useQuery<Timeline>(runPath(body.row.runId, '/timeline'));
  useFresh(query, body.head.seq);
  const { data, failure, refresh } = query;
  if (data === undefined)
    return (
      <div className="panel tab-panel">
        {failure === undefined ? <p className="soft">Reading…</p> : <Failure failure={failure} retry={refresh} />}
      </div>
    );
  return (
    <div className="panel tab-panel">
      {failure !== undefined && <Failure failure={failure} retry={refresh} />}
      {data.budgets.length > 0 && (
        <section aria-label="Budgets">
          <h2>How it was used up</h2>
          <div className="budgets">
            {data.budgets.map((line) => (
              <BudgetChart key={line.name} line={line} onMoment={onMoment} />
            ))}
          </div>
        </section>
      )}
      {data.repeated !== undefined && <RepeatedRounds repeated={data.repeated} onMoment={onMoment} />}
      <section aria-label="Waterfall">
        <h2>Waterfall</h2>
        <Waterfall timeline={data} at={at} onMoment={onMoment} />
      </section>
    </div>
  );
}

interface WaterfallProperties {
  readonly timeline: Timeline;
  readonly at: number | undefined;
  readonly onMoment: (seq: number) => void;
}

function Waterfall({ timeline, at, onMoment }: WaterfallProperties): ReactNode {
  const { bars, from, to } = timeline;
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: bars.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <section ref={frame} className="virtual-frame" tabIndex={0} aria-label={`${bars.length} rows`}>
      <div className="virtual-space" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const bar = bars[index];
          return bar === undefined ? null : (
            <div key={index} className="virtual-row" style={{ transform: `translateY(${start}px)` }}>
              <WaterfallRow
                bar={bar}
                from={from}
                to={to}
                isPast={at !== undefined && bar.seq > at}
                onMoment={onMoment}
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}

interface RowProperties {
  readonly bar: TimelineBar;
  readonly from: number;
  readonly to: number;
  /** True after the entry that is shown. */
  readonly isPast: boolean;
  readonly onMoment: (seq: number) => void;
}

function WaterfallRow({ bar, from, to, isPast, onMoment }: RowProperties): ReactNode {
  const span = Math.max(to - from, 1);
  const end = bar.to ?? to;
  const left = ((Math.max(bar.from, from) - from) / span) * 100;
  const width = Math.max(((end - Math.max(bar.from, from)) / span) * 100, 0.2);
  const took = bar.to === undefined ? 'not ended' : shortDuration(bar.to - bar.from);
  const words = [bar.type, took, ...(bar.note === undefined ? [] : [bar.note])].join(' · ');
  const title = `${bar.name} · ${words} · ${preciseTime(bar.from)}${bar.error === undefined ? '' : `\n${bar.error}`}`;
  const tone = bar.type === 'wait' || bar.type === 'sleep' ? 'waiting' : toneOfCategory(bar.category);
  const isQuiet = bar.type === 'iteration';
  return (
    <button
      type="button"
      className={`bar-row ${isPast ? 'bar-row-past' : ''}`}
      title={shownText(title)}
      onClick={() => onMoment(bar.seq)}
    >
      <span className="bar-name" style={{ paddingInlineStart: Math.min(bar.depth, 12) * 14 }}>
        {isQuiet ? <span className="faint">{bar.name}</span> : shownText(bar.name)}
        {bar.kind !== undefined && bar.category !== 'success' && (
          <span className={`bar-kind tone-${tone}`}> {bar.kind}</span>
        )}
      </span>
      <span className="bar-space">
        <span
          className={`bar bar-${bar.type} tone-${isQuiet ? 'unknown' : tone}`}
          style={{ left: `${left}%`, width: `${Math.min(width, 100 - left)}%` }}
        />
      </span>
      <span className="bar-words faint numeric">{isQuiet ? took : words.slice(words.indexOf('·') + 2)}</span>
    </button>
  );
}
