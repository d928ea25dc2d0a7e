/**
 * How long a run of 100,000 entries takes to open in the dashboard, and whether its journal scrolls without stalls: in a real browser, with a trace of frames.
 * Run after a build: npx tsx bench/run-page.ts [entries]
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../tests/browser/find-browser.js';
import { addLongRun } from '../tests/browser/store/long-run.js';

const entries = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), 'fullstop-run-page-'));
mkdirSync(join(folder, '.fullstop'));
const found = await findBrowser();
if (found === undefined) throw new Error('There is no browser to measure with.');
try {
  await addLongRun(folder, entries);
  const binary = resolve(import.meta.dirname, '../packages/cli/dist/main.js');
  const server = spawn(process.execPath, [binary, 'dashboard'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((done) => createInterface({ input: server.stdout }).once('line', done));
  const at = (path: string): string => new URL(path, url).href;
  const browser = await chromium.launch({
    executablePath: found.path,
    chromiumSandbox: false,
    args: ['--no-zygote', '--disable-gpu'],
    env: { ...process.env, ...found.environment },
  });
  const page = await browser.newPage();
  await page.goto(url);
  await page.locator('.header').waitFor();
  const opened: number[] = [];
  for (let round = 0; round < 4; round += 1) opened.push(await timeToOpen(page, at('/runs/r_long')));
  await page.goto(at('/runs/r_long/journal'));
  await page.locator('.entry-row').first().waitFor();
  const stalls = await scrollStalls(page);
  console.log(JSON.stringify({ entries, openedMs: opened.map(Math.round), longestFrameMs: stalls }));
  await browser.close();
  server.kill();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** From the address to the banner, the graph and the first tab. */
async function timeToOpen(page: Page, address: string): Promise<number> {
  await page.goto('about:blank');
  const begin = performance.now();
  await page.goto(address);
  await page.locator('.run-banner').waitFor();
  await page.locator('.step-node').first().waitFor();
  return performance.now() - begin;
}

/** The longest times between two frames while the journal is scrolled from end to end. */
async function scrollStalls(page: Page): Promise<readonly number[]> {
  return page.evaluate<readonly number[]>(`new Promise((done) => {
    const frame = document.querySelector('.virtual-frame');
    const gaps = [];
    let last = performance.now();
    let step = 0;
    const next = () => {
      const now = performance.now();
      gaps.push(Math.round(now - last));
      last = now;
      step += 1;
      if (step > 200) return done(gaps.sort((a, b) => b - a).slice(0, 5));
      frame.scrollTop = (frame.scrollHeight * step) / 200;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
}
