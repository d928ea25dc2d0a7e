import { describe, expect, it } from 'vitest';
import { routeOf, runAddress } from './route.js';

const place = (address: string) => {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  return { path: pathname, query: searchParams };
};

describe('the page of an address', () => {
  it.each([
    ['/', { page: 'runs' }],
    ['/runs?q=x', { page: 'runs' }],
    ['/endings', { page: 'endings' }],
    ['/start', { page: 'start', file: undefined }],
    ['/start/flows%2Fa.yaml', { page: 'start', file: 'flows/a.yaml' }],
    ['/runs/r_1', { page: 'run', runId: 'r_1', tab: undefined, at: undefined }],
    ['/runs/r_1/why?at=12', { page: 'run', runId: 'r_1', tab: 'why', at: 12 }],
    ['/runs/r_1?at=x', { page: 'run', runId: 'r_1', tab: undefined, at: undefined }],
    ['/elsewhere', { page: 'unknown', path: '/elsewhere' }],
    ['/runs/a/b/c', { page: 'unknown', path: '/runs/a/b/c' }],
  ])('%s', (address, route) => {
    expect(routeOf(place(address))).toEqual(route);
  });

  it('leads back to a run, whatever its id', () => {
    for (const runId of ['r_1', 'a/b', 'a b?c=d#e', '100%', 'שלום'])
      expect(routeOf(place(runAddress(runId, 'journal', 7)))).toEqual({ page: 'run', runId, tab: 'journal', at: 7 });
  });
});
