import type { ReactNode } from 'react';
import type { BudgetLine } from '../../../../cli/src/dashboard/view/budget-lines.js';
import { dollars, duration, grouped } from '../../../../cli/src/journal/number-text.js';

const width = 280;
const height = 84;

/** How a budget was used up, with its limit and the moment at which it was crossed. */
export function BudgetChart({
  line,
  onMoment,
}: {
  readonly line: BudgetLine;
  readonly onMoment: (seq: number) => void;
}): ReactNode {
  const { name, points, limit, crossing } = line;
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const most = Math.max(last.used, limit ?? 0, ...points.map(({ used }) => used)) * 1.08 || 1;
  const span = Math.max(last.at - first.at, 1);
  const x = (at: number): number => ((at - first.at) / span) * width;
  const y = (used: number): number => height - (used / most) * height;
  const path = points.map((point, index) => step(index === 0, x(point.at), y(point.used))).join('');
  const said = `${name}: ${amount(line, last.used)}${limit === undefined ? '' : ` of ${amount(line, limit)}`}`;
  return (
    <figure className={`budget tone-${crossing === undefined ? 'running' : 'stopped'}`}>
      <figcaption>
        <span>{name}</span>
        <span className="numeric soft">
          {amount(line, last.used)}
          {limit !== undefined && ` of ${amount(line, limit)}`}
        </span>
      </figcaption>
      <svg viewBox={`0 -4 ${width} ${height + 8}`} role="img" aria-label={said} preserveAspectRatio="none">
        <path className="budget-area" d={`${path}V${height}H0Z`} />
        <path className="budget-line" d={path} />
        {limit !== undefined && <path className="budget-limit" d={`M0 ${y(limit)}H${width}`} />}
        {crossing !== undefined && (
          <circle className="budget-crossing" cx={x(crossing.at)} cy={y(crossing.used)} r="4" />
        )}
      </svg>
      {crossing === undefined ? (
        <p className="faint">{limit === undefined ? 'no limit is known' : 'within its limit'}</p>
      ) : (
        <button type="button" className="link-button" onClick={() => onMoment(crossing.seq)}>
          crossed at entry {crossing.seq}
        </button>
      )}
    </figure>
  );
}

function step(isFirst: boolean, x: number, y: number): string {
  return isFirst ? `M${x.toFixed(1)} ${y.toFixed(1)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`;
}

function amount({ unit }: BudgetLine, value: number): string {
  if (unit === 'usd') return dollars(value);
  return unit === 'ms' ? duration(value) : grouped(value);
}
