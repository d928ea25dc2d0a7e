import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineRun, terminations } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import type { Place } from '../e2e/binary.js';
import { isInstalled, keys, onTerminal, withoutColours } from '../e2e/terminal.js';
import { browserTest, type OpenPage } from './browser.js';
import { type RunningDashboard, startDashboard } from './dashboard.js';
import { endOwner, fullstop, makeLiveFolder, startRun } from './live-runs.js';

let folder: string;
let dashboard: RunningDashboard;

beforeAll(async () => {
  folder = makeLiveFolder();
  dashboard = await startDashboard(folder, '--by', 'maria');
});

/** Lets a browser in, then opens a page; whatever it shows later, it shows without a reload. */
async function open(openPage: OpenPage, path: string, options: Parameters<OpenPage>[1] = {}): Promise<Page> {
  const page = await openPage(dashboard.url, options);
  await page.locator('.header').waitFor();
  await page.goto(dashboard.at(path));
  await page.evaluate('window.sameDocument = true');
  return page;
}

async function expectNoReload(page: Page): Promise<void> {
  expect(await page.evaluate('window.sameDocument')).toBe(true);
}

/** Settles when the banner has this title. */
async function bannerSays(page: Page, title: string): Promise<void> {
  await page.locator('.run-banner h2', { hasText: new RegExp(`^${title}$`) }).waitFor();
}

function node(page: Page, name: string, state = ''): Locator {
  return page.locator(`.step-node${state}`, {
    has: page.locator('.step-node-name', { hasText: new RegExp(`^${name}`) }),
  });
}

/** A place for a file that a step waits for. */
function allow(file: string): void {
  writeFileSync(join(folder, file), '');
}

describe('a run that is executed while its page is open', () => {
  browserTest('is drawn to its ending: graph, banner and list change without a reload', async ({ openPage }) => {
    const list = await open(openPage, '/?q=r_live');
    await list.getByText('No run fits these filters.').waitFor();
    startRun(folder, 'live.yaml', 'r_live');
    const row = list.locator('.run-item', { hasText: 'r_live' });
    await row.locator('.pill.tone-running').waitFor();
    const page = await open(openPage, '/runs/r_live');
    await bannerSays(page, 'Running');
    // The badge of a sub-workflow is that of the run inside it: under way, then done.
    await node(page, 'inside', '.tone-running').waitFor();
    await node(page, 'stop', '.step-node-unreached').waitFor();
    const before = await page.locator('.replay-words').innerText();
    allow('go');
    await bannerSays(page, 'Workflow Terminated');
    await node(page, 'inside', '.tone-success').waitFor();
    expect(await node(page, 'stop', '.step-node-unreached').count()).toBe(0);
    expect(await page.locator('.run-banner').innerText()).toContain('It was begun and is over');
    expect(await page.locator('.step-node.tone-running').count()).toBe(0);
    expect(await page.locator('.replay-words').innerText()).not.toBe(before);
    await row.locator('.pill', { hasText: 'terminated' }).waitFor();
    await expectNoReload(page);
    await expectNoReload(list);
  });

  browserTest(
    'is said to have lost its owner when that is killed, and continues from the page',
    async ({ openPage }) => {
      const owner = startRun(folder, 'left.yaml', 'r_left');
      const page = await open(openPage, '/?q=r_left');
      await page.locator('.run-item .pill.tone-running').waitFor();
      await page.locator('.run-item .run-link').click();
      await bannerSays(page, 'Running');
      await node(page, 'nap', '.tone-running').waitFor();
      await endOwner(owner);
      await bannerSays(page, 'Owner gone');
      await page.locator('.step-node-type', { hasText: 'owner gone' }).waitFor();
      expect(await page.locator('.step-node.tone-running').count()).toBe(0);
      await expectNoReload(page);
      allow('go-left');
      await page.getByRole('button', { name: /^Resume…/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Resume', exact: true }).click();
      await bannerSays(page, 'Completed');
      await node(page, 'nap', '.tone-success').waitFor();
      await expectNoReload(page);
    },
  );

  browserTest('shows of a run that it spawned where that is now', async ({ openPage }) => {
    let resolve = (): void => undefined;
    const release = new Promise<void>((done) => {
      resolve = done;
    });
    const child = defineRun({
      name: 'helper',
      version: '1',
      run: async (context) => {
        await context.step('work', () => release);
        return terminations.flowCompleted({ last: 'work' });
      },
    });
    const parent = defineRun({
      name: 'boss',
      version: '1',
      run: async (context) => {
        await context.spawn(child);
        return terminations.flowCompleted({ last: 'spawn' });
      },
    });
    const engine = sqliteEngine(join(folder, '.fullstop/runs.db'));
    try {
      await parent.run(undefined, { engine, runId: 'r_boss' });
      const page = await open(openPage, '/runs/r_boss');
      await bannerSays(page, 'Completed');
      const badge = page.locator('.spawned-runs li', { hasText: 'helper' });
      await badge.locator('.pill.tone-running').waitFor();
      resolve();
      await badge.locator('.pill.tone-success').waitFor();
      await expectNoReload(page);
      await badge.getByRole('link', { name: 'helper' }).click();
      await page.getByRole('link', { name: 'spawned by r_boss' }).waitFor();
      await bannerSays(page, 'Completed');
    } finally {
      resolve();
      await engine.close();
    }
  });
});

describe('a run that is continued from its page', () => {
  browserTest('is resumed with a larger limit and reaches its new ending there', async ({ openPage }) => {
    expect(fullstop(folder, 'run', 'count.yaml', '--run-id', 'r_count', '-q').code).toBe(3);
    const page = await open(openPage, '/runs/r_count');
    await bannerSays(page, 'Stopped: max iterations');
    await page.getByRole('button', { name: /^Resume…/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Iterations' }).fill('20');
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
    await bannerSays(page, 'Completed');
    expect(await page.locator('.segments li').allInnerTexts()).toEqual([
      expect.stringMatching(/^1 .*max_iterations$/),
      expect.stringMatching(/^2 .*maria.*flow_completed$/),
    ]);
    expect(await page.locator('.run-head .pill').first().innerText()).toBe('flow_completed');
    await expectNoReload(page);
  });

  browserTest('keeps no old error once it has succeeded', async ({ openPage }) => {
    expect(fullstop(folder, 'run', 'flaky.yaml', '--run-id', 'r_flaky', '-q').code).not.toBe(0);
    const list = await open(openPage, '/?q=r_flaky');
    const page = await open(openPage, '/runs/r_flaky');
    await page.locator('.run-banner.tone-failed').waitFor();
    await node(page, 'fetch', '.tone-failed').waitFor();
    expect(await page.locator('.run-page').innerText()).toContain('command not found');
    writeFileSync(join(folder, 'fetch-it'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    await page.getByRole('button', { name: /^Resume…/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
    await bannerSays(page, 'Completed');
    const saysNothingOld = async (): Promise<void> => {
      await node(page, 'fetch', '.tone-success').waitFor();
      expect(await page.locator('.run-page .tone-failed').count()).toBe(0);
      expect(await page.locator('.run-page').innerText()).not.toContain('command not found');
      expect(await page.locator('.markdown strong', { hasText: 'fine' }).count()).toBe(1);
    };
    await saysNothingOld();
    await expectNoReload(page);
    const row = list.locator('.run-item', { hasText: 'r_flaky' });
    await row.locator('.pill', { hasText: 'flow_completed' }).waitFor();
    expect(await row.innerText()).not.toContain('command not found');
    await page.reload();
    await saysNothingOld();
  });

  browserTest('is forked from the slider, and the fork names its origin', async ({ openPage }) => {
    expect(fullstop(folder, 'run', 'steps.yaml', '--run-id', 'r_steps', '-q').code).toBe(0);
    const page = await open(openPage, '/runs/r_steps', { tolerates: [/40\d/] });
    await bannerSays(page, 'Completed');
    const { points } = await page.evaluate<{ readonly points: readonly number[] }>(
      "fetch('/api/runs/r_steps/forks').then((response) => response.json())",
    );
    const at = points.at(-1) ?? 0;
    const slider = page.getByRole('slider', { name: 'Entry of the journal' });
    await slider.fill(String(at));
    await page.getByRole('button', { name: 'Fork from here…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('textbox', { name: 'Entry' }).inputValue()).toBe(String(at));
    await dialog.getByRole('textbox', { name: 'Entry' }).fill('9999');
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('textbox', { name: 'Entry' }).fill(String(at));
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.locator('.toast').getByRole('link', { name: 'Show it' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/r_steps'));
    const forkId = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
    await bannerSays(page, 'Completed');
    expect(new URL(page.url()).searchParams.get('at')).toBeNull();
    expect(fullstop(folder, 'why', forkId).out).toContain(`forked from r_steps at entry ${at} by maria`);
    await page.getByRole('link', { name: `forked from r_steps at entry ${at}` }).click();
    await page.waitForURL((url) => url.pathname.endsWith('/r_steps') && url.searchParams.get('at') === String(at));
    await page.getByText(new RegExp(`^entry ${at} of`)).waitFor();
    await expectNoReload(page);
  });
});

describe('a gate that a terminal and two browsers show', () => {
  const place = (): Place => ({ folder, path: (name: string) => join(folder, name) }) as Place;
  const ask = async (openPage: OpenPage, runId: string): Promise<Page> => {
    const page = await open(openPage, `/runs/${runId}`, { tolerates: [/40\d/] });
    await bannerSays(page, 'Waiting for you');
    await page.getByRole('button', { name: /^Answer…/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release it' }).waitFor();
    return page;
  };
  const isTold = (page: Page): Promise<void> => page.getByText('This is no longer open').waitFor();

  browserTest('is answered by the browser that is first', async ({ openPage, skip }) => {
    skip(!isInstalled('script'), 'a terminal needs the program script');
    const screen = onTerminal(place(), ['run', 'gate.yaml', '--run-id', 'r_gate']);
    await screen.shows('Release it');
    const one = await ask(openPage, 'r_gate');
    const other = await ask(openPage, 'r_gate');
    await one.getByRole('dialog').getByRole('button', { name: 'Release it' }).click();
    await Promise.all([bannerSays(one, 'Completed'), bannerSays(other, 'Completed'), isTold(other)]);
    await node(one, 'review', '.tone-success').waitFor();
    const { code, text } = await screen.over;
    expect(withoutColours(text)).toContain('Answered elsewhere by maria; the run continues.');
    expect(code).toBe(0);
    expect(fullstop(folder, 'why', 'r_gate').out).toMatch(/maria/);
  });

  browserTest(
    'is answered by the terminal where that is first, and both browsers are told',
    async ({ openPage, skip }) => {
      skip(!isInstalled('script'), 'a terminal needs the program script');
      const screen = onTerminal(place(), ['run', 'gate.yaml', '--run-id', 'r_gate_terminal']);
      await screen.shows('Release it');
      const pages = [await ask(openPage, 'r_gate_terminal'), await ask(openPage, 'r_gate_terminal')];
      screen.press(keys.enter);
      const { code } = await screen.over;
      expect(code).toBe(0);
      await Promise.all(pages.flatMap((page) => [bannerSays(page, 'Completed'), isTold(page)]));
      for (const page of pages) await expectNoReload(page);
      expect(fullstop(folder, 'why', 'r_gate_terminal').out).toMatch(/tester/);
    },
  );
});
