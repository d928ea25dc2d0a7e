import type { Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { accessibilityProblems } from './accessibility.js';
import { browserTest, type OpenPage, saveScreenshot } from './browser.js';
import { makeFolder, type RunningDashboard, startDashboard } from './dashboard.js';
import { type DashboardStore, makeDashboardStore } from './dashboard-store.js';
import { addOrphan, addSpecialRuns, hostileText } from './run-page-store.js';

let dashboard: RunningDashboard;
let store: DashboardStore;

beforeAll(async () => {
  const folder = makeFolder();
  store = await makeDashboardStore({ folder, runs: 40, seed: 7 });
  await addSpecialRuns(folder);
  await addOrphan(folder);
  dashboard = await startDashboard(folder);
});

function runOf(scenario: string): string {
  const runId = store.runIds[scenario]?.at(-1);
  if (runId === undefined) throw new Error(`The store has no run of ${scenario}.`);
  return runId;
}

/** Lets a browser in, then opens a page of a run. */
async function openRun(openPage: OpenPage, path: string, options: Parameters<OpenPage>[1] = {}): Promise<Page> {
  const page = await openPage(dashboard.url, options);
  await page.locator('.header').waitFor();
  await page.goto(dashboard.at(`/runs/${path}`));
  await page.locator('.run-banner').waitFor();
  return page;
}

const banners: readonly (readonly [scenario: string, title: string, tone: string])[] = [
  ['triage: refused by a terminate step', 'Workflow Terminated', 'failed'],
  ['triage: paid back', 'Completed', 'success'],
  ['import: an error of the program', 'Failed', 'failed'],
  ['support: circles', 'Stopped: loop detected', 'stopped'],
  ['support: too expensive', 'Stopped: cost budget', 'stopped'],
  ['release: waits for a person', 'Waiting for you', 'waiting'],
  ['support: a refund waits for approval', 'Waiting for you', 'waiting'],
  ['newsletter: cancelled', 'Cancelled', 'cancelled'],
  ['books: a kind of its own', 'Completed', 'success'],
];

describe('the banner of a run', () => {
  browserTest('says what became of it, in its own tone', async ({ openPage }) => {
    const page = await openRun(openPage, runOf('support: circles'));
    for (const [scenario, title, tone] of banners) {
      await page.goto(dashboard.at(`/runs/${runOf(scenario)}`));
      await page.locator('.run-banner h2').waitFor();
      expect([scenario, await page.locator('.run-banner h2').innerText()]).toEqual([scenario, title]);
      expect(await page.locator('.run-banner').getAttribute('class')).toContain(`tone-${tone}`);
    }
  });

  browserTest('says that the owner is gone, and draws nothing as running', async ({ openPage }) => {
    const page = await openRun(openPage, 'r_orphan');
    expect(await page.locator('.run-banner h2').innerText()).toBe('Owner gone');
    await page.locator('.step-node').first().waitFor();
    expect(await page.locator('.step-node.tone-running').count()).toBe(0);
    expect(await page.locator('.step-node-type', { hasText: 'owner gone' }).count()).toBe(1);
  });

  browserTest('says that there is no such run, and does not show an empty one', async ({ openPage }) => {
    const page = await openPage(dashboard.url, { tolerates: [/404/] });
    await page.locator('.header').waitFor();
    await page.goto(dashboard.at('/runs/r_nothing'));
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('There is no run "r_nothing"');
  });
});

describe('the graph of a run', () => {
  browserTest('draws a terminate step as an octagon, with what it says and why', async ({ openPage }) => {
    const page = await openRun(openPage, 'r_layered');
    const node = page.locator('.step-node-terminate', { hasText: 'refuse' });
    await node.waitFor();
    expect(await node.getAttribute('class')).toContain('tone-failed');
    expect(await node.locator('.octagon path').count()).toBe(1);
    expect(await node.locator('.step-node-type').innerText()).toBe('terminate · failed');
    expect(await node.locator('.step-node-reason').innerText()).toBe('The reports are not good enough');
    const other = page.locator('.step-node-terminate', { hasText: 'praise' });
    expect(await other.getAttribute('class')).toContain('tone-success');
    expect(await other.getAttribute('class')).toContain('step-node-unreached');
    await node.locator('.step-node-face').hover();
    const tip = node.locator('.node-tip');
    await tip.waitFor({ state: 'visible' });
    expect(await tip.innerText()).toMatch(
      /Termination\s+failed\s+ended the workflow\s+Reason: The reports are not good/,
    );
  });

  browserTest(
    'tells the condition of a route that was not taken, and what was returned instead',
    async ({ openPage }) => {
      const page = await openRun(openPage, 'r_layered');
      const label = page.locator('.route-label', { hasText: 'score > 7' });
      await label.locator('.route-word').focus();
      await page.keyboard.press('Shift');
      const tip = label.locator('.node-tip');
      await label.locator('.route-word').hover();
      await tip.waitFor({ state: 'visible' });
      expect(await tip.innerText()).toMatch(
        /Not taken.*\{\{ plan\.output\.score > 7 \}\}.*plan returned \{"score": 4\}/s,
      );
      const taken = page.locator('.route-label-taken', { hasText: 'score > 3' });
      await taken.locator('.route-word').hover();
      expect(await taken.locator('.node-tip').innerText()).toMatch(/Taken.*plan\.output\.score = 4/s);
    },
  );

  browserTest('opens a sub-workflow in place and alone, with the way back', async ({ openPage }) => {
    const page = await openRun(openPage, 'r_layered');
    await page.getByRole('button', { name: 'Open sub' }).click();
    await page.locator('.step-node', { hasText: /^two/ }).first().waitFor();
    await page.locator('.step-node-face', { hasText: /^sub/ }).first().click();
    await page.getByRole('button', { name: 'Draw its inside alone' }).click();
    await page.getByRole('navigation', { name: 'Where in the run' }).waitFor();
    expect(new URL(page.url()).searchParams.get('in')).toBe('sub');
    expect(await page.locator('.step-node', { hasText: 'refuse' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.step-node', { hasText: 'refuse' }).first().waitFor();
  });

  browserTest('shows the same card for the ending of a unit, by mouse and by keyboard', async ({ openPage }) => {
    const page = await openRun(openPage, runOf('month-end: the agent reached its limit'));
    const face = page.locator('.step-node-face', { hasText: 'reconcile' });
    await face.focus();
    await page.keyboard.press('Enter');
    const card = page.locator('.unit-card');
    await card.waitFor();
    expect(await card.locator('.ending-card .pill').innerText()).toBe('max_iterations');
    expect(await card.locator('.ending-sentence').innerText()).toMatch(/^Stopped at the limit of 4 iterations/);
    await card.getByRole('button', { name: 'Close' }).click();
    await card.waitFor({ state: 'detached' });
  });

  browserTest('replays to any entry, and begins anew with each load', async ({ openPage }) => {
    const page = await openRun(openPage, 'r_layered');
    await page.locator('.step-node', { hasText: 'refuse' }).first().waitFor();
    const slider = page.getByRole('slider', { name: 'Entry of the journal' });
    const node = page.locator('.step-node', { hasText: /^sub/ }).first();
    expect(await node.getAttribute('class')).toContain('tone-success');
    await slider.fill('5');
    await page.waitForURL(/at=5/);
    expect(await node.getAttribute('class')).toContain('step-node-unreached');
    await page.reload();
    await page.locator('.step-node-unreached', { hasText: /^sub/ }).first().waitFor();
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.locator('.step-node.tone-success', { hasText: /^sub/ }).first().waitFor();
    await slider.fill('3');
    await page.goto(dashboard.at('/runs/r_layered'));
    await page.locator('.step-node.tone-success', { hasText: /^sub/ }).first().waitFor();
  });
});

describe('the tabs of a run', () => {
  browserTest('lead from a cause to its moment', async ({ openPage }) => {
    const page = await openRun(openPage, runOf('month-end: the agent reached its limit'));
    await page.getByRole('button', { name: 'reconcile ended as max_iterations' }).click();
    await page.waitForURL(/at=\d+/);
    await page.getByText(/^entry \d+ of \d+/).waitFor();
  });

  browserTest('show where a budget was crossed, and what repeated side by side', async ({ openPage }) => {
    const page = await openRun(openPage, `${runOf('support: too expensive')}/timeline`);
    const cost = page.locator('.budget', { hasText: 'cost' });
    await cost.getByRole('button', { name: /crossed at entry \d+/ }).click();
    await page.waitForURL(/at=\d+/);
    await page.goto(dashboard.at(`/runs/${runOf('support: circles')}/timeline`));
    await page.locator('.round').first().waitFor();
    expect(await page.locator('.round').count()).toBe(3);
    expect(await page.locator('.round').nth(1).innerText()).toContain('input · the same');
    expect(await page.locator('.bar-row', { hasText: 'search_docs' }).count()).toBe(3);
  });

  browserTest('prove the facts in the page, and prove nothing of changed ones', async ({ openPage }) => {
    const page = await openRun(openPage, `${runOf('purchase: converged')}/facts`);
    await page.getByRole('button', { name: 'Check the proof' }).click();
    await page.getByText('The 3 facts above have exactly this root').waitFor();
    await page.route('**/facts', async (route) => {
      const response = await route.fetch();
      const changed = (await response.text()).replace(/"amount":\d+/, '"amount":1');
      await route.fulfill({ response, body: changed });
    });
    await page.reload();
    await page.getByRole('button', { name: 'Check the proof' }).click();
    await page.getByText('They do not prove it').waitFor();
  });

  browserTest('find entries of the journal, raw and by type', async ({ openPage }) => {
    const page = await openRun(openPage, 'r_layered/journal');
    await page.locator('.entry-row').nth(5).waitFor();
    await page.getByRole('combobox', { name: 'Type of entries' }).selectOption('unit_ended');
    const types = async (): Promise<readonly string[]> => [
      ...new Set(await page.locator('.entry-type').allInnerTexts()),
    ];
    await expect.poll(types).toEqual(['unit_ended']);
    await page.getByRole('searchbox', { name: 'Text in entries' }).fill('flow_completed');
    await expect.poll(() => page.locator('.entry-row').count()).toBe(1);
    await page.locator('.entry-row').click();
    await page.getByRole('button', { name: 'Raw' }).click();
    expect(await page.locator('.code-text').innerText()).toContain('"kind": "flow_completed"');
  });

  browserTest('show the beginning of a large entry, and all of it on demand', async ({ openPage }) => {
    const page = await openRun(openPage, 'r_hostile');
    const sent = page.waitForResponse((response) => response.url().includes('/r_hostile/journal?'));
    await page.getByRole('link', { name: 'Journal' }).click();
    const text = await (await sent).text();
    expect(text.length).toBeLessThan(200_000);
    const { entries } = JSON.parse(text) as { readonly entries: readonly { seq: number; cut?: object }[] };
    const large = entries.find(({ cut }) => cut !== undefined)?.seq;
    await page
      .locator('.entry-row', { has: page.locator('.entry-seq', { hasText: new RegExp(`^${large}$`) }) })
      .click();
    const detail = page.locator('.entry-detail');
    await detail.getByText(/The first 4,?000 characters of \d+\.\d MB\./).waitFor();
    const alone = await page.evaluate<number>(
      `fetch(document.querySelector('.entry-detail a[download]').href).then(async (answer) => (await answer.text()).length)`,
    );
    expect(alone).toBeGreaterThan(5_000_000);
    await detail.getByRole('button', { name: 'Show all of it' }).click();
    await detail.locator('.tree-toggle').first().waitFor();
    expect(await detail.getByRole('button', { name: 'Show all of it' }).count()).toBe(0);
  });

  browserTest(
    'recompute the ending at once when a limit is moved, over this run and over all',
    async ({ openPage }) => {
      const page = await openRun(openPage, `${runOf('support: circles')}/what-if`);
      await page.getByRole('slider', { name: /^max-iterations/ }).fill('0');
      await page.getByText('Stopped at the limit of 1 iteration').waitFor();
      await page.getByRole('button', { name: /^Over all runs of/ }).click();
      await page.getByText(/would have ended earlier/).waitFor();
    },
  );

  browserTest('show hostile content as text, whatever it is', async ({ openPage }) => {
    const page = await openRun(openPage, 'r_hostile/conversation');
    await page.locator('.message-tool').waitFor();
    expect(await page.title()).not.toBe('taken');
    expect(await page.locator('.run-page script, .run-page img, .run-page a[href^="javascript"]').count()).toBe(0);
    const text = await page.locator('.message-tool').innerText();
    expect(text).toContain('<script>document.title = "taken"</script>');
    expect(text).toContain('red pay \\u202egnp.exe שלום');
    expect(text).not.toContain('\u001b');
    await page.getByText('The first 20,000 of 5,000,000 characters').waitFor();
    expect(await page.locator('h1').innerText()).toBe('reader <b>of</b> mail');
    await page.goto(dashboard.at('/runs/r_hostile/journal?at=2'));
    await page.locator('.entry-detail').waitFor();
    expect(await page.title()).not.toBe('taken');
    expect(hostileText).toContain('\u202e');
  });
});

const views = [
  ['run-workflow', 'r_layered'],
  ['run-why', ''],
  ['run-timeline', '/timeline'],
  ['run-conversation', '/conversation'],
  ['run-facts', '/facts'],
  ['run-journal', '/journal'],
  ['run-what-if', '/what-if'],
] as const;

/** Waits until the graph stands still: it is fitted into its place after its nodes were measured. */
async function fitted(page: Page): Promise<void> {
  const place = (): Promise<string> => page.locator('.react-flow__viewport').evaluate(({ style }) => style.transform);
  const frames = 10;
  for (let still = 0, before = ''; still < frames; ) {
    const now = await place();
    still = now === before ? still + 1 : 0;
    before = now;
    await page.evaluate('new Promise((next) => requestAnimationFrame(next))');
  }
}

describe('every view of a run', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    browserTest(`has nothing that keeps people out, ${colorScheme}`, async ({ openPage }) => {
      const page = await openRun(openPage, 'r_layered', { colorScheme });
      for (const [name, tab] of views) {
        const run = tab === '/facts' ? runOf('purchase: converged') : runOf('support: circles');
        await page.goto(dashboard.at(`/runs/${tab.startsWith('/') || tab === '' ? run + tab : tab}`));
        await page.locator('.step-node').first().waitFor();
        await page.locator('.tab-panel > *').first().waitFor();
        await fitted(page);
        await saveScreenshot(page, `${name}-${colorScheme}`);
        expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
      }
    });

  browserTest('fits a phone', async ({ openPage }) => {
    const page = await openRun(openPage, 'r_layered', { width: 390, height: 844 });
    await page.locator('.step-node').first().waitFor();
    for (const tab of ['', '/timeline', '/journal', '/what-if']) {
      await page.goto(dashboard.at(`/runs/r_layered${tab}`));
      await page.locator('.tab-panel > *').first().waitFor();
      const [wide, room] = await page.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]');
      expect([tab, wide <= room]).toEqual([tab, true]);
    }
    await saveScreenshot(page, 'run-phone');
  });
});
