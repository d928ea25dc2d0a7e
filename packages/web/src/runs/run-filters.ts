import { withParameters } from '../api/client.js';

/** The filters of the list, as they stand in the address. */
export interface RunFilters {
  readonly q?: string;
  readonly name?: string;
  readonly kind?: string;
  readonly category?: string;
  readonly state?: string;
  readonly conversation?: string;
  readonly parent?: string;
  /** How far back, such as `24h` or `7d`. */
  readonly since?: string;
  /** Runs that others spawned, too. */
  readonly children?: string;
}

const names = ['q', 'name', 'kind', 'category', 'state', 'conversation', 'parent', 'since', 'children'] as const;

/** Reads the filters of an address; what it does not know it leaves alone. */
export function readFilters(query: URLSearchParams): RunFilters {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The address of a page with these filters. */
export function filterAddress(path: string, filters: RunFilters): string {
  return withParameters(path, { ...filters });
}

/** The path of the API for these filters. */
export function filterPath(path: string, { since, children, ...filters }: RunFilters, now: number): string {
  const span = since === undefined ? undefined : spanOf(since);
  const all = children === 'true' || filters.parent !== undefined;
  return withParameters(path, {
    ...filters,
    ...(!all && { roots: true }),
    // Whole minutes, so that the same question has the same path for a while.
    ...(span !== undefined && { after: Math.floor((now - span) / 60_000) * 60_000 }),
  });
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of `90m`, `24h` or `7d`; undefined for anything else. */
export function spanOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const size = units[unit];
  return count === undefined || size === undefined ? undefined : Number(count) * size;
}

/** True when nothing narrows the list. */
export function isUnfiltered(filters: RunFilters): boolean {
  return Object.keys(filters).every((name) => name === 'children');
}
