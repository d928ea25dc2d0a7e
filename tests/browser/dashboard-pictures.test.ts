import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { browserTest, type OpenPage, type PageOptions } from './browser.js';
import { makeFolder, type RunningDashboard, startDashboard } from './dashboard.js';
import { type DashboardStore, makeDashboardStore } from './dashboard-store.js';
import { savePicture } from './save-picture.js';

/** The pictures of the documentation, from a store of real runs; `FULLSTOP_WRITE_PICTURES=1` puts them there. */
const documentation = join(import.meta.dirname, '../../docs/pictures');
const writes = process.env['FULLSTOP_WRITE_PICTURES'] === '1';

let dashboard: RunningDashboard;
let store: DashboardStore;

beforeAll(async () => {
  const folder = makeFolder();
  store = await makeDashboardStore({ folder, runs: writes ? 420 : 45, seed: 7 });
  dashboard = await startDashboard(folder);
});

const desktop: PageOptions = { width: 1360, height: 880, context: { deviceScaleFactor: 1.5 } };
const phone: PageOptions = { width: 390, height: 844, context: { deviceScaleFactor: 2 } };

async function open(openPage: OpenPage, path: string, options: PageOptions): Promise<Page> {
  const page = await openPage(dashboard.url, options);
  await page.locator('.run-item').first().waitFor();
  if (path !== '/') await page.goto(dashboard.at(path));
  return page;
}

/** Takes a picture of what is in view. The name of the store depends on the machine, so it gets another. */
async function picture(page: Page, name: string): Promise<void> {
  await page.locator('.connection', { hasText: 'Live' }).waitFor();
  await page.evaluate("for (const each of document.querySelectorAll('.store')) each.textContent = '.fullstop/runs.db'");
  const file = await savePicture(page, name);
  if (writes) copyFileSync(file, join(documentation, `${name}.png`));
  expect(file).toContain(name);
}

for (const colorScheme of ['light', 'dark'] as const) {
  const suffix = colorScheme === 'dark' ? '-dark' : '';

  browserTest(`the list of runs (${colorScheme})`, async ({ openPage }) => {
    const page = await open(openPage, '/', { ...desktop, colorScheme });
    await page.locator('.needs-you-card').first().waitFor();
    await page.locator('.chart-bar').first().waitFor();
    await picture(page, `dashboard-runs${suffix}`);
  });

  browserTest(`a run that a step terminated (${colorScheme})`, async ({ openPage }) => {
    const runId = store.runIds['triage: refused by a terminate step']?.at(-1) ?? '';
    const page = await open(openPage, `/runs/${runId}`, { ...desktop, colorScheme });
    await page.getByText('refunds end after 90').first().waitFor();
    await page.locator('.react-flow__node').first().waitFor();
    await picture(page, `dashboard-run${suffix}`);
  });
}

browserTest('many runs resumed at once, after a preview', async ({ openPage }) => {
  const page = await open(openPage, '/endings', desktop);
  await page.getByRole('button', { name: /^Resume all… Stopped at the limit of 5 steps/ }).click();
  await page.getByText(/^What will happen/).waitFor();
  await picture(page, 'dashboard-bulk');
});

browserTest('endings by cause', async ({ openPage }) => {
  const page = await open(openPage, '/endings', desktop);
  await page.locator('.group').first().waitFor();
  await picture(page, 'dashboard-endings');
});

browserTest('what waits for someone, on a phone', async ({ openPage }) => {
  const page = await open(openPage, '/', phone);
  await page.locator('.needs-you-card').first().waitFor();
  await picture(page, 'dashboard-phone');
});
