import { useSyncExternalStore } from 'react';

/** The address of the page, which is the only state that it keeps between visits. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();

/** True in a document without a server, whose only changeable part of the address is behind the `#`. */
let isInHash = false;

function readPlace(): Place {
  const { pathname: path, searchParams: query } = new URL(currentAddress(), 'http://page');
  return { path, query };
}

/** The path and the query of the page. */
export function currentAddress(): string {
  return isInHash ? location.hash.slice(1) || '/' : location.pathname + location.search;
}

/** Keeps the place behind the `#` from now on. */
export function keepPlaceInHash(): void {
  isInHash = true;
  addEventListener('hashchange', tell);
  tell();
}

let current = readPlace();

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
  if (to === currentAddress()) return;
  const address = isInHash ? `#${to}` : to;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  tell();
}
