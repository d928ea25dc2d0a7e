import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type TestAPI, test } from 'vitest';
import { findBrowser } from './find-browser.js';
import { type PageProblems, watchContext } from './watch-context.js';

/** How a page is opened; a desktop in the light is the default. */
export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Problems that the test causes on purpose, such as a refused connection while a server is down. */
  readonly tolerates?: readonly RegExp[];
  /** Everything else that a context of Playwright takes. */
  readonly context?: BrowserContextOptions;
}

/** Opens an address in a context of its own: no cookies, no storage, no cache of another page. */
export type OpenPage = (address: string, options?: PageOptions) => Promise<Page>;

interface BrowserFixtures {
  readonly browser: Browser;
  readonly openPage: OpenPage;
}

/** A name of somebody else that leads to this machine, as a hostile name server would have it. */
export const reboundName = 'rebound.test';

/** Nothing but this machine can be reached, and nothing tries in the background. */
const quietArguments = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  `--host-resolver-rules=MAP ${reboundName} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
  '--no-first-run',
  '--no-zygote',
];

/** A busy machine takes its time; this is for what would never happen. */
const patience = 120_000;

const found = await findBrowser();
if (found === undefined) complainAboutMissingBrowser();

/**
 * A test with a browser, one for the whole file, and with `openPage`. It fails when a page of it writes an error to the console, throws, or asks
 * another host for anything. Without a browser it is skipped and counted as such, or fails where FULLSTOP_REQUIRE_BROWSER=1 demands one.
 */
export const browserTest: ReturnType<TestAPI<BrowserFixtures>['skipIf']> = test
  .extend<BrowserFixtures>({
    browser: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are needed, and this one needs none.
      async ({}, use) => {
        const browser = await startBrowser();
        await use(browser);
        await browser.close();
      },
      { scope: 'file' },
    ],
    openPage: async ({ browser }, use) => {
      const { openPage, closePages } = pageOpener(browser);
      await use(openPage);
      const problems = await closePages();
      if (problems.length > 0) throw new Error(`The page had ${problems.length} problems:\n${problems.join('\n')}`);
    },
  })
  .skipIf(found === undefined);

/** Saves what the page shows, whole, as `.cache/screenshots/<name>.png`, and returns the file's path. */
export async function saveScreenshot(page: Page, name: string): Promise<string> {
  const folder = join(import.meta.dirname, '../../.cache/screenshots');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
  return path;
}

function pageOpener(browser: Browser) {
  const closings: (() => Promise<PageProblems>)[] = [];
  const openPage: OpenPage = async (address, options = {}) => {
    const { width = 1280, height = 800, colorScheme = 'light', tolerates = [] } = options;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...options.context });
    context.setDefaultTimeout(patience);
    const problems = watchContext(context, tolerates);
    closings.push(async () => {
      await context.close();
      return problems;
    });
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };
  const closePages = async (): Promise<PageProblems> => (await Promise.all(closings.map((close) => close()))).flat();
  return { openPage, closePages };
}

async function startBrowser(): Promise<Browser> {
  if (found === undefined) throw new Error('There is no browser to start.');
  const env = { ...process.env, ...found.environment };
  return await chromium.launch({
    executablePath: found.path,
    args: quietArguments,
    chromiumSandbox: false,
    env,
    timeout: patience,
  });
}

function complainAboutMissingBrowser(): void {
  const advice = 'Install Chromium or Chrome, or name one with CHROME_PATH.';
  if (process.env['FULLSTOP_REQUIRE_BROWSER'] === '1') throw new Error(`No browser found. ${advice}`);
  console.error(`\nNO BROWSER FOUND: the tests in a browser are skipped. ${advice}\n`);
}
