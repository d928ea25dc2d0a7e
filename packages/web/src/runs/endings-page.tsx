import type { ReactNode } from 'react';
import { counted, dollars, duration, grouped } from '../../../cli/src/journal/number-text.js';
import type { EndingTally, Overview } from '../api/contract.js';
import { Link } from '../app/link.js';
import { EndingPill } from '../design/ending-pill.js';
import { Failure, Notice } from '../design/notice.js';
import { categories, toneOf } from './category-look.js';
import { EndingGroups } from './ending-groups.js';
import { EndingsChart } from './endings-chart.js';
import { FilterBar } from './filter-bar.js';
import { filterAddress, type RunFilters } from './run-filters.js';
import { useFilters } from './use-filters.js';
import { useOverview } from './use-overview.js';

/** How runs ended: by cause with what can be done about all of them, by name, and what the endings cost. */
export function EndingsPage(): ReactNode {
  const filters = useFilters();
  const { data, failure, refresh } = useOverview(filters);
  return (
    <div className="page stack">
      <h1 className="visually-hidden">Endings</h1>
      <section className="panel runs-panel" aria-label="Filters">
        <FilterBar path="/endings" filters={filters} names={data?.byName.map(({ name }) => name) ?? []} />
      </section>
      {failure !== undefined && <Failure failure={failure} retry={refresh} />}
      {data === undefined && failure === undefined && <p className="list-end faint">Reading endings…</p>}
      {data !== undefined && <Endings overview={data} filters={filters} />}
    </div>
  );
}

function Endings({ overview, filters }: { readonly overview: Overview; readonly filters: RunFilters }): ReactNode {
  return (
    <>
      {!overview.complete && (
        <Notice tone="stopped">
          Causes and names are made from the newest {grouped(overview.grouped)} of {grouped(overview.runs)} runs; the
          counts over time are of all.
        </Notice>
      )}
      <EndingsChart overview={overview} filters={filters} />
      <EndingGroups groups={overview.groups} filters={filters} />
      <div className="columns">
        <ByName overview={overview} filters={filters} />
        <CostByEnding tallies={overview.costByEnding} />
      </div>
    </>
  );
}

/** How the runs of each name ended, as a bar of its whole width. */
function ByName({ overview, filters }: { readonly overview: Overview; readonly filters: RunFilters }): ReactNode {
  return (
    <section className="panel" aria-labelledby="by-name">
      <h2 id="by-name" className="panel-head">
        By name
      </h2>
      <ul className="shares">
        {overview.byName.map(({ name, count, byCategory }) => (
          <li key={name} className="share-row">
            <Link className="share-name" to={filterAddress('/', { ...filters, name })}>
              {name}
            </Link>
            <svg className="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              {piecesOf(byCategory, count).map(({ category, from, size }) => (
                <rect
                  key={category}
                  className={`chart-bar tone-${toneOf(category)} chart-${category}`}
                  x={from}
                  y={0}
                  width={size}
                  height={10}
                />
              ))}
            </svg>
            <span className="share-count numeric">{grouped(count)}</span>
            <span className="visually-hidden">
              {categories
                .filter(({ category }) => byCategory[category] !== undefined)
                .map(({ category, means }) => `${byCategory[category]} ${means}`)
                .join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function piecesOf(byCategory: Overview['byName'][number]['byCategory'], count: number) {
  let from = 0;
  return categories.flatMap(({ category }) => {
    const size = ((byCategory[category] ?? 0) / Math.max(1, count)) * 100;
    const piece = { category, from, size: Math.max(0, size - 0.4) };
    from += size;
    return size === 0 ? [] : [piece];
  });
}

/** Shows the cost of the endings, the most expensive first. */
function CostByEnding({ tallies }: { readonly tallies: readonly EndingTally[] }): ReactNode {
  const sorted = [...tallies].sort((one, other) => other.costUsd - one.costUsd || other.count - one.count);
  const most = Math.max(0.000001, ...sorted.map(({ costUsd }) => costUsd));
  return (
    <section className="panel" aria-labelledby="cost-by-ending">
      <h2 id="cost-by-ending" className="panel-head">
        Cost by ending
      </h2>
      <ul className="shares">
        {sorted.map((tally) => (
          <li key={`${tally.kind} ${tally.category}`} className="cost-row">
            <EndingPill look={{ tone: toneOf(tally.category), word: tally.kind, icon: '' }} />
            <svg className="share" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect
                className={`chart-bar tone-${toneOf(tally.category)}`}
                x={0}
                y={0}
                width={(tally.costUsd / most) * 100}
                height={10}
              />
            </svg>
            <span
              className="share-cost numeric"
              title={`${counted(tally.count, 'run')}, ${duration(tally.durationMs)}`}
            >
              {costText(tally)}
            </span>
            <span className="faint share-count numeric">{counted(tally.count, 'run')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Costs that are not known are said, beside those that are. */
function costText({ costUsd, unpriced, estimated, tokens }: EndingTally): string {
  const unknown = unpriced > 0 ? `${unpriced} unknown` : '';
  if (costUsd === 0 && tokens === 0) return unknown === '' ? '–' : unknown;
  const known = dollars(costUsd, estimated > 0);
  return unknown === '' ? known : `${known} + ${unknown}`;
}
