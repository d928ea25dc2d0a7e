import { describe, expect, it } from 'vitest';
import { filterAddress, filterPath, isUnfiltered, readFilters, spanOf } from './run-filters.js';

const now = Date.UTC(2026, 10, 17, 12, 0, 30);

describe('the filters of the list', () => {
  it('are read from the address and written back as they were', () => {
    const address = '/?q=late&category=fatal&since=7d';
    const filters = readFilters(new URL(address, 'http://localhost').searchParams);
    expect(filters).toEqual({ q: 'late', category: 'fatal', since: '7d' });
    expect(filterAddress('/', filters)).toBe(address);
  });

  it('leave out what is empty or unknown', () => {
    expect(readFilters(new URLSearchParams('q=&page=3'))).toEqual({});
    expect(filterAddress('/', { q: '', name: undefined as never })).toBe('/');
  });

  it('ask for runs that no other run spawned, unless child runs or those of a parent are wanted', () => {
    expect(filterPath('/api/runs', {}, now)).toBe('/api/runs?roots=true');
    expect(filterPath('/api/runs', { children: 'true' }, now)).toBe('/api/runs');
    expect(filterPath('/api/runs', { parent: 'r_1' }, now)).toBe('/api/runs?parent=r_1');
  });

  it('turn a span into an instant that stays the same within a minute', () => {
    const after = Date.UTC(2026, 10, 16, 12, 0, 0);
    expect(filterPath('/api/runs', { since: '24h', children: 'true' }, now)).toBe(`/api/runs?after=${after}`);
    expect(filterPath('/api/runs', { since: '24h', children: 'true' }, now + 20_000)).toBe(`/api/runs?after=${after}`);
  });

  it('ignore a span that is none', () => {
    expect(spanOf('90m')).toBe(5_400_000);
    for (const text of ['', '7', 'd', '-1d', '7w', '7d ']) expect(spanOf(text)).toBeUndefined();
  });

  it('do not count child runs as narrowing', () => {
    expect(isUnfiltered({ children: 'true' })).toBe(true);
    expect(isUnfiltered({ q: 'x' })).toBe(false);
  });
});
