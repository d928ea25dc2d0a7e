import { type ReactNode, useState } from 'react';
import { counted } from '../../../cli/src/journal/number-text.js';
import { localTime } from '../../../cli/src/journal/value-text.js';
import type { Bucket, Overview } from '../api/contract.js';
import { Link } from '../app/link.js';
import { ToneIcon } from '../design/icon.js';
import { categories } from './category-look.js';
import { filterAddress, type RunFilters } from './run-filters.js';

interface EndingsChartProperties {
  readonly overview: Overview;
  readonly filters: RunFilters;
}

const [width, height, gap] = [1000, 72, 3];

/** How runs ended over time, as stacked bars; the legend narrows the list. */
export function EndingsChart({ overview, filters }: EndingsChartProperties): ReactNode {
  const { overTime } = overview;
  const [pointed, setPointed] = useState<Bucket | undefined>();
  const totals = totalsOf(overTime);
  const most = Math.max(1, ...overTime.map(totalOf));
  const step = width / Math.max(1, overTime.length);
  return (
    <figure className="panel chart">
      <figcaption className="chart-head">
        <h2>Endings over time</h2>
        <span className="faint numeric">{pointed === undefined ? rangeText(overview) : bucketText(pointed)}</span>
      </figcaption>
      <svg
        className="chart-bars"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summaryOf(totals)}
        onPointerLeave={() => setPointed(undefined)}
      >
        {overTime.map((bucket, index) => (
          <g key={bucket.from} onPointerEnter={() => setPointed(bucket)}>
            <rect className="chart-column" x={index * step} y={0} width={step} height={height} />
            {stackOf(bucket, most).map(({ category, tone, top, size }) => (
              <rect
                key={category}
                className={`chart-bar tone-${tone} chart-${category}`}
                x={index * step + gap / 2}
                y={top}
                width={Math.max(1, step - gap)}
                height={size}
              />
            ))}
          </g>
        ))}
      </svg>
      <ul className="legend">
        {categories
          .filter(({ category }) => (totals[category] ?? 0) > 0)
          .map(({ category, tone }) => {
            const isChosen = filters.category === category;
            const { category: _category, ...others } = filters;
            return (
              <li key={category}>
                <Link
                  className={`legend-item tone-${tone}${isChosen ? ' legend-chosen' : ''}`}
                  to={filterAddress('/', isChosen ? others : { ...filters, category })}
                  aria-current={isChosen ? 'true' : undefined}
                >
                  <span className={`legend-mark chart-${category}`}>
                    <ToneIcon tone={tone} size={12} />
                  </span>
                  {category} <strong className="numeric">{totals[category]}</strong>
                </Link>
              </li>
            );
          })}
        {overview.unfinished > 0 && (
          <li className="legend-item tone-running">
            <span className="legend-mark">
              <ToneIcon tone="running" size={12} />
            </span>
            unfinished <strong className="numeric">{overview.unfinished}</strong>
          </li>
        )}
      </ul>
    </figure>
  );
}

type Totals = Bucket['byCategory'];

function totalsOf(buckets: readonly Bucket[]): Totals {
  const totals: Totals = {};
  for (const { byCategory } of buckets)
    for (const { category } of categories) {
      const sum = (totals[category] ?? 0) + (byCategory[category] ?? 0);
      if (sum > 0) totals[category] = sum;
    }
  return totals;
}

function totalOf({ byCategory }: Pick<Bucket, 'byCategory'>): number {
  return Object.values(byCategory).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

interface Piece {
  readonly category: string;
  readonly tone: string;
  readonly top: number;
  readonly size: number;
}

/** The pieces of a bar, from the bottom up. */
function stackOf({ byCategory }: Bucket, most: number): readonly Piece[] {
  let bottom = height;
  return categories.flatMap(({ category, tone }) => {
    const size = ((byCategory[category] ?? 0) / most) * (height - 4);
    if (size === 0) return [];
    bottom -= size;
    return [{ category, tone, top: bottom, size: Math.max(1, size - 1) }];
  });
}

function summaryOf(totals: Totals): string {
  const parts = categories.flatMap(({ category, means }) => {
    const count = totals[category] ?? 0;
    return count === 0 ? [] : [`${count} ${means}`];
  });
  return parts.length === 0 ? 'No endings in this time' : `Endings: ${parts.join(', ')}`;
}

function rangeText({ runs, from, to }: Overview): string {
  return runs === 0 ? 'no runs' : `${counted(runs, 'run')} · ${localTime(from)} – ${localTime(to)}`;
}

function bucketText(bucket: Bucket): string {
  const parts = categories.flatMap(({ category }) => {
    const count = bucket.byCategory[category] ?? 0;
    return count === 0 ? [] : [`${count} ${category}`];
  });
  return `${localTime(bucket.from)} · ${parts.length === 0 ? 'no endings' : parts.join(', ')}`;
}
