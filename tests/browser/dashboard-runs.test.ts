import type { Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { accessibilityProblems } from './accessibility.js';
import { browserTest, type OpenPage } from './browser.js';
import { makeFolder, makeFolderWithRuns, type RunningDashboard, startDashboard } from './dashboard.js';

let dashboard: RunningDashboard;

beforeAll(async () => {
  dashboard = await startDashboard(await makeFolderWithRuns(60));
});

/** Lets a browser in, then opens a page. */
async function open(openPage: OpenPage, path: string, options: Parameters<OpenPage>[1] = {}): Promise<Page> {
  const page = await openPage(dashboard.url, options);
  await page.locator('.header').waitFor();
  if (path !== '/') await page.goto(dashboard.at(path));
  return page;
}

describe('the list of runs', () => {
  browserTest('says in each row how it ended, why, and what to do next', async ({ openPage }) => {
    const page = await open(openPage, '/?kind=cost_budget');
    const row = page.locator('.run-item').first();
    await row.waitFor();
    expect(await row.locator('.pill').innerText()).toBe('cost_budget');
    expect(await row.locator('.run-category').innerText()).toBe('capacity');
    expect(await row.locator('.run-sentence').innerText()).toMatch(
      /^The cost budget is used up: \$0\.\d+ of \$0\.40\.$/,
    );
    expect(await row.getByRole('button', { name: /Resume…/ }).count()).toBe(1);
    expect(await row.getByRole('button', { name: /^Copy: fullstop resume r_\w+ --cost / }).count()).toBe(1);
  });

  browserTest('shows a pause in its own tone, with a sign and a word', async ({ openPage }) => {
    const page = await open(openPage, '/?kind=gate_pending');
    const pill = page.locator('.run-item .pill').first();
    await pill.waitFor();
    expect(await pill.getAttribute('class')).toBe('pill tone-waiting');
    expect(await pill.locator('svg').count()).toBe(1);
    expect(await pill.innerText()).toBe('gate_pending');
  });

  browserTest('says that a cost is unknown, and draws no zero', async ({ openPage }) => {
    const page = await open(openPage, '/?name=researcher&kind=natural_end');
    const cost = page.locator('.run-item').first().locator('dd').nth(3);
    expect(await cost.innerText()).toBe('unknown');
  });

  browserTest('shows the kind of a third party as it is', async ({ openPage }) => {
    const page = await open(openPage, '/?kind=billing.reconciled');
    const row = page.locator('.run-item').first();
    expect(await row.locator('.pill').innerText()).toBe('billing.reconciled');
    expect(await row.locator('.run-sentence').innerText()).toBe('The books were reconciled with 4 findings.');
  });

  browserTest('keeps its filters in the address, so that a link shows the same', async ({ openPage }) => {
    const page = await open(openPage, '/');
    await page.getByRole('combobox', { name: 'Ending' }).selectOption('fatal');
    await page.waitForURL(/category=fatal/);
    await page.getByRole('searchbox').fill('401');
    await page.waitForURL(/q=401/);
    await page.locator('.run-item').first().waitFor();
    const shown = await page.locator('.run-item .pill').allInnerTexts();
    expect(new Set(shown)).toEqual(new Set(['provider_auth']));
    const again = await open(openPage, new URL(page.url()).pathname + new URL(page.url()).search);
    await again.locator('.run-item').first().waitFor();
    expect(await again.locator('.run-item .pill').allInnerTexts()).toEqual(shown);
    expect(await again.getByRole('searchbox').inputValue()).toBe('401');
    await page.goBack();
    expect(new URL(page.url()).search).toBe('');
  });

  browserTest('says that no run fits, and that is no failure', async ({ openPage }) => {
    const page = await open(openPage, '/?q=nothing-like-this');
    await page.getByText('No run fits these filters.').waitFor();
    await page.getByRole('link', { name: 'Show all runs' }).click();
    await page.locator('.run-item').first().waitFor();
  });

  browserTest('says a failed query as such, and never as an empty list', async ({ openPage }) => {
    const page = await open(openPage, '/?state=nonsense', { tolerates: [/400/] });
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByRole('alert').first().innerText()).toMatch(/state/);
    expect(await page.getByText('No run fits').count()).toBe(0);
  });

  browserTest('is reachable by keyboard: slash searches, arrows go from run to run', async ({ openPage }) => {
    const page = await open(openPage, '/');
    await page.locator('.run-item').first().waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.locator('.run-link').first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate("document.activeElement.closest('li').dataset.index")).toBe('1');
    await page.keyboard.press('k');
    expect(await page.evaluate("document.activeElement.closest('li').dataset.index")).toBe('0');
  });

  browserTest('shows what an empty store is, with how to begin', async ({ openPage }) => {
    const empty = await startDashboard(makeFolder());
    const page = await openPage(empty.url);
    await page.getByText('This store has no runs yet.').waitFor();
    expect(await page.locator('.run-item').count()).toBe(0);
  });
});

describe('how runs ended', () => {
  browserTest('counts endings over time, and the legend narrows the list', async ({ openPage }) => {
    const page = await open(openPage, '/');
    const legend = page.locator('.legend-item', { hasText: 'cancelled' });
    await legend.click();
    await page.waitForURL(/category=cancelled/);
    await page.locator('.run-item').first().waitFor();
    expect(new Set(await page.locator('.run-item .pill').allInnerTexts())).toEqual(new Set(['cancelled']));
  });

  browserTest('groups runs by cause, with a count that the list confirms', async ({ openPage }) => {
    const page = await open(openPage, '/endings');
    const group = page.locator('.group', { hasText: 'Stopped at the limit of 5 steps' });
    await group.waitFor();
    const count = Number(await group.locator('.group-count').innerText());
    await page.goto(dashboard.at('/?name=crawl&kind=max_iterations'));
    await page.getByText('No older runs').waitFor();
    expect(await page.locator('.run-item').count()).toBe(count);
  });
});

describe('the pages in both themes and at the width of a phone', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390])
      browserTest(`have no problems of accessibility (${colorScheme}, ${width} wide)`, async ({ openPage }) => {
        const page = await open(openPage, '/', { colorScheme, width });
        await page.locator('.run-item').first().waitFor();
        await page.locator('.needs-you-card').first().waitFor();
        expect(await accessibilityProblems(page)).toEqual([]);
        await page.goto(dashboard.at('/endings'));
        await page.locator('.group').first().waitFor();
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        await page
          .getByRole('button', { name: /^Resume all…/ })
          .first()
          .click();
        await page.getByText(/^What will happen/).waitFor();
        expect(await accessibilityProblems(page)).toEqual([]);
        await page.goto(dashboard.at('/start'));
        await page.locator('.start-item').first().waitFor();
        expect(await accessibilityProblems(page)).toEqual([]);
      });

  browserTest('remember the theme that someone chose', async ({ openPage }) => {
    const page = await open(openPage, '/');
    await page.getByRole('button', { name: /^Theme: system/ }).click();
    await page.getByRole('button', { name: /^Theme: light/ }).click();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
    await page.reload();
    await page.getByRole('button', { name: /^Theme: dark/ }).waitFor();
  });
});
