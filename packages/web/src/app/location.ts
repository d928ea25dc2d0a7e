import { useSyncExternalStore } from 'react';

/** The address of the page, which is the only state that it keeps between visits. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();
let current = readPlace();

function readPlace(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

function tell(): void {
  current = readPlace();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('popstate', tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('popstate', tell);
  };
}

/** The address as it is now; renders again when it changes. */
export function usePlace(): Place {
  return useSyncExternalStore(subscribe, () => current);
}

/** Goes to an address of the dashboard. `replace` leaves no step for the back button, for what is typed letter by letter. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (to === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  tell();
}
