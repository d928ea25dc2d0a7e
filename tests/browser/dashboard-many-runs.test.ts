import type { Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest } from './browser.js';
import { makeFolder, startDashboard } from './dashboard.js';

const count = 100_000;
const newest = Date.UTC(2026, 10, 17);

/** A row of a store that has many; only the page is tried here, the store has its own tests and benchmarks. */
function rowOf(index: number): object {
  return {
    runId: `r_${String(index).padStart(6, '0')}`,
    name: `worker-${index % 7}`,
    version: '1',
    state: 'ended',
    segment: 1,
    startedAt: newest - index * 1000,
    updatedAt: newest - index * 1000,
    kind: 'natural_end',
    category: 'success',
    outcome: 'succeeded',
    look: { tone: 'success', word: 'natural_end', icon: '✓' },
    sentence: 'The model returned its final answer.',
    next: [],
    requests: 0,
  };
}

/** Answers as the server would, page by page. */
async function serveManyRuns(page: Page): Promise<{ readonly pages: () => number }> {
  let pages = 0;
  await page.route('**/api/runs?*', async (route: Route) => {
    const query = new URL(route.request().url()).searchParams;
    const [first, limit] = [Number(query.get('cursor') ?? 0), Number(query.get('limit') ?? 50)];
    const runs = Array.from({ length: Math.min(limit, count - first) }, (_, index) => rowOf(first + index));
    const next = first + runs.length;
    pages += 1;
    await route.fulfill({ json: { runs, ...(next < count && { next: String(next) }) } });
  });
  return { pages: () => pages };
}

browserTest(
  'a list of 100,000 runs holds only what is in view, and reads page after page on the way down',
  async ({ openPage }) => {
    const dashboard = await startDashboard(makeFolder());
    const page = await openPage(dashboard.url);
    await page.getByText('This store has no runs yet.').waitFor();
    const { pages } = await serveManyRuns(page);
    await page.reload();
    await page.locator('.run-item').first().waitFor();
    expect(pages()).toBeLessThan(3);
    for (const wanted of ['r_000500', 'r_001500', 'r_003000']) {
      const row = page.locator('.run-item', { hasText: wanted });
      for (let turn = 0; turn < 400 && (await row.count()) === 0; turn += 1) {
        await page.evaluate('window.scrollBy(0, 1200)');
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      }
      expect(await row.count()).toBe(1);
      expect(await page.locator('.run-item').count()).toBeLessThan(80);
    }
    const read = pages();
    expect(read).toBeGreaterThan(30);
    expect(read).toBeLessThan(60);
    await page.evaluate('window.scrollTo(0, 0)');
    await page.locator('.run-item', { hasText: 'r_000000' }).waitFor();
    expect(pages()).toBe(read);
  },
);
