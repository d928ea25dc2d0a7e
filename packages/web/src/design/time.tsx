import { type ReactNode, useSyncExternalStore } from 'react';
import { preciseTime, relativeTime, shortDuration } from '../../../cli/src/journal/value-text.js';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let second = Math.floor(Date.now() / 1000);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    second = Math.floor(Date.now() / 1000);
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time now, to the second; one clock ticks for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => second) * 1000;
}

/** An instant as its distance from now, with the exact time of the reader's zone on hover. */
export function Instant({ at }: { readonly at: number }): ReactNode {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={`${preciseTime(at)} ${zone}`}>
      {relativeTime(at, Math.max(now, at))}
    </time>
  );
}

/** How long there is until a deadline, counting down. */
export function Countdown({ until }: { readonly until: number }): ReactNode {
  const left = until - useNow();
  return (
    <time dateTime={new Date(until).toISOString()} title={`${preciseTime(until)} ${zone}`}>
      {left <= 0 ? 'deadline passed' : `${shortDuration(Math.max(left, 1000)).replace(/\.\ds$/, 's')} left`}
    </time>
  );
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
