import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from '@xyflow/react';
import { type ReactNode, useId } from 'react';
import type { GraphEdge } from '../../../../cli/src/dashboard/view/run-graph.js';
import { valueText } from '../../../../cli/src/journal/value-text.js';
import { shownText } from '../text/shown-text.js';

export interface RouteData extends Record<string, unknown> {
  readonly edge: GraphEdge;
  /** How often it had been taken. */
  readonly taken: number;
  /** The output of the step before it, on one line. */
  readonly output: string | undefined;
}

/** A way between two steps; its condition stands on it, and on hover or focus the values that decided. */
export function RouteEdge(properties: EdgeProps & { readonly data?: RouteData }): ReactNode {
  const { id, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, markerEnd } = properties;
  const isBack = targetY < sourceY;
  const [path, labelX, labelY] = isBack
    ? backPath({ sourceX, sourceY, targetX, targetY })
    : getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition });
  const { edge, taken = 0 } = data ?? {};
  const names = ['route', ...(taken > 0 ? ['route-taken'] : []), ...(edge?.error === true ? ['route-error'] : [])];
  return (
    <>
      <BaseEdge id={id} path={path} className={names.join(' ')} {...(markerEnd !== undefined && { markerEnd })} />
      {data !== undefined && (edge?.label !== undefined || taken > 1) && (
        <EdgeLabelRenderer>
          <div
            className={`route-label nodrag nopan ${taken > 0 ? 'route-label-taken' : ''}`}
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
          >
            <RouteLabel data={data} />
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

type Ends = Pick<EdgeProps, 'sourceX' | 'sourceY' | 'targetX' | 'targetY'>;

const aside = 190;

/** A way back goes around the boxes between, on the side where it begins. */
function backPath({ sourceX, sourceY, targetX, targetY }: Ends): readonly [string, number, number] {
  const side = sourceX < targetX ? Math.min(sourceX, targetX) - aside : Math.max(sourceX, targetX) + aside;
  const path = `M${sourceX} ${sourceY}C${sourceX} ${sourceY + 50} ${side} ${sourceY + 40} ${side} ${(sourceY + targetY) / 2}S${targetX} ${targetY - 60} ${targetX} ${targetY}`;
  return [path, side, (sourceY + targetY) / 2];
}

function RouteLabel({ data }: { readonly data: RouteData }): ReactNode {
  const { edge, taken, output } = data;
  const tip = useId();
  const text = edge.label === undefined ? '' : shownText(edge.label);
  const values = Object.entries(edge.values ?? {});
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what explains a route on hover does so by keyboard too. */}
      <span className="route-word" tabIndex={0} role="note" aria-describedby={tip}>
        {text}
        {taken > 1 && <span className="faint"> ×{taken}</span>}
      </span>
      <div className="node-tip" role="tooltip" id={tip}>
        <p className="pill-row">
          <span className="pill-label">{taken > 0 ? 'Taken' : 'Not taken'}</span>
          <span className="soft">
            {shownText(edge.from)} → {shownText(edge.to)}
          </span>
        </p>
        {edge.condition !== undefined && <p className="mono">{shownText(edge.condition)}</p>}
        {values.map(([name, value]) => (
          <p key={name} className="mono">
            {shownText(name)} = {shownText(valueText(value, 80))}
          </p>
        ))}
        {taken === 0 && output !== undefined && (
          <p className="mono faint">
            {shownText(edge.from)} returned {shownText(output)}
          </p>
        )}
      </div>
    </>
  );
}
