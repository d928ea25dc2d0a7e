import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { RunItem } from './run-item.js';
import type { Runs } from './use-runs.js';

const estimatedHeight = 62;

/** The rows that are in view, of as many as there are: the next page is read before its rows come into view. */
export function RunList({ runs }: { readonly runs: Runs }): ReactNode {
  const { rows, next, loadMore } = runs;
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measured = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    setTop((before) => (Math.abs(before - measured) > 1 ? measured : before));
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => estimatedHeight,
    getItemKey: (index) => rows[index]?.runId ?? index,
    overscan: 12,
    scrollMargin: top,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (next !== undefined && last >= rows.length - 30) loadMore();
  });
  return (
    <ul
      ref={list}
      className="run-list"
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={(event) => moveFocus(event, (index) => virtualizer.scrollToIndex(index))}
    >
      {items.map(({ index, key, start }) => {
        const row = rows[index];
        return row === undefined ? null : (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className="run-place"
            aria-posinset={index + 1}
            aria-setsize={next === undefined ? rows.length : -1}
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <RunItem row={row} />
          </li>
        );
      })}
    </ul>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/** Up and down go from run to run. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>, show: (index: number) => void): void {
  const step = steps[event.key];
  const place = event.target instanceof Element ? event.target.closest<HTMLElement>('.run-place') : null;
  if (step === undefined || place === null || event.metaKey || event.ctrlKey || event.altKey) return;
  const index = Number(place.dataset['index']) + step;
  const list = event.currentTarget;
  const focus = (): boolean => {
    const link = list.querySelector<HTMLElement>(`[data-index="${index}"] .run-link`);
    link?.focus();
    return link !== null;
  };
  event.preventDefault();
  if (focus() || index < 0) return;
  show(index);
  requestAnimationFrame(() => void focus());
}
