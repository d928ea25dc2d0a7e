import type { Place } from './location.js';

/** The pages of the dashboard. */
export type Route =
  | { readonly page: 'runs' }
  | { readonly page: 'endings' }
  | { readonly page: 'start'; readonly file: string | undefined }
  | { readonly page: 'run'; readonly runId: string; readonly tab: string | undefined; readonly at: number | undefined }
  | { readonly page: 'unknown'; readonly path: string };

/** The page of an address. */
export function routeOf({ path, query }: Place): Route {
  const [first, second, third, ...more] = path.split('/').filter(Boolean).map(decoded);
  if (more.length > 0) return { page: 'unknown', path };
  if (first === undefined) return { page: 'runs' };
  if (first === 'runs' && second !== undefined) return { page: 'run', runId: second, tab: third, at: entryOf(query) };
  if (third !== undefined) return { page: 'unknown', path };
  if (first === 'runs') return { page: 'runs' };
  if (first === 'start') return { page: 'start', file: second };
  return first === 'endings' && second === undefined ? { page: 'endings' } : { page: 'unknown', path };
}

/** The address of a run, of one of its tabs, of one moment. */
export function runAddress(runId: string, tab?: string, at?: number): string {
  const path = `/runs/${encodeURIComponent(runId)}${tab === undefined ? '' : `/${encodeURIComponent(tab)}`}`;
  return at === undefined ? path : `${path}?at=${at}`;
}

function entryOf(query: URLSearchParams): number | undefined {
  const at = Number(query.get('at') ?? Number.NaN);
  return Number.isSafeInteger(at) && at >= 0 ? at : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
