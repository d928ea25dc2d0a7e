/**
 * How long a run of 100,000 entries takes to open in the dashboard, and whether its journal scrolls without stalls: in a real browser, with the time of each part
 * and the processor time of both sides, which says more than the clock on a machine that others use too.
 * Run after a build: npx tsx bench/run-page.ts [entries] [folder that keeps the run for the next time]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../tests/browser/find-browser.js';
import { addLongRun } from '../tests/browser/store/long-run.js';

/** The answer that carries the run: how long the server took, its transfer, its size, and the parsing of it. */
const partsInPage = `(async () => {
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  const answers = performance.getEntriesByType('resource').filter(({ name }) => /\\/api\\/runs\\/[^/]*$/.test(name));
  const answer = answers.at(-1);
  const text = await (await fetch(answer.name)).text();
  const begin = performance.now();
  JSON.parse(text);
  return {
    firstPaintMs: paint?.startTime ?? 0,
    serverMs: answer.responseStart - answer.requestStart,
    transferMs: answer.responseEnd - answer.responseStart,
    parseMs: performance.now() - begin,
    kilobytes: text.length / 1000,
  };
})()`;

/** Notes in the page when the banner and the graph are there: whoever waits from outside looks only now and then, up to half a second late. */
const watchInPage = `
window.seenAt = {};
const parts = { banner: '.run-banner', graph: '.step-node' };
const look = () => {
  for (const [name, selector] of Object.entries(parts))
    if (!(name in window.seenAt) && document.querySelector(selector) !== null) window.seenAt[name] = performance.now();
  if (Object.keys(window.seenAt).length < 2) requestAnimationFrame(look);
};
look();
`;

const scrollSteps = 200;
const entries = Number(process.argv[2] ?? 100_000);
const kept = process.argv[3];
const folder = kept ?? mkdtempSync(join(tmpdir(), 'fullstop-run-page-'));
mkdirSync(join(folder, '.fullstop'), { recursive: true });
const found = await findBrowser();
if (found === undefined) throw new Error('There is no browser to measure with.');
try {
  if (!existsSync(join(folder, '.fullstop/runs.db'))) await addLongRun(folder, entries);
  const binary = resolve(import.meta.dirname, '../packages/cli/dist/main.js');
  const server = spawn(process.execPath, [binary, 'dashboard'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((done) => createInterface({ input: server.stdout }).once('line', done));
  const browser = await chromium.launch({
    executablePath: found.path,
    chromiumSandbox: false,
    args: ['--no-zygote', '--disable-gpu'],
    env: { ...process.env, ...found.environment },
  });
  try {
    const page = await browser.newPage();
    await page.addInitScript(watchInPage);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    await page.goto(url);
    await page.locator('.header').waitFor();
    const at = (path: string): string => new URL(path, url).href;
    for (let round = 1; round <= 4; round += 1)
      console.log(JSON.stringify({ round, ...(await open({ page, session, server }, at('/runs/r_long'))) }));
    await page.goto(at('/runs/r_long/journal'));
    await page.locator('.entry-row').first().waitFor();
    const before = await mainThread(session);
    const longestFrameMs = await scrollStalls(page);
    const { TaskDuration } = await mainThread(session);
    const taskMsPerFrame = (1000 * (TaskDuration - before.TaskDuration)) / scrollSteps;
    console.log(JSON.stringify({ entries, longestFrameMs, taskMsPerFrame: Number(taskMsPerFrame.toFixed(1)) }));
  } finally {
    await browser.close();
    server.kill();
  }
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

interface Watched {
  readonly page: Page;
  readonly session: CDPSession;
  readonly server: ChildProcess;
}

/** From the request of the page to its banner, and to its graph; with what each part of it took. */
async function open({ page, session, server }: Watched, address: string): Promise<Record<string, number>> {
  await page.goto('about:blank');
  const usedBefore = processorTime(server);
  const workBefore = await mainThread(session);
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('.step-node').first().waitFor();
  const seen = await page.evaluate<{ readonly banner: number; readonly graph: number }>('window.seenAt');
  const work = await mainThread(session);
  const serverProcessorMs = processorTime(server) - usedBefore;
  return rounded({
    bannerMs: seen.banner,
    graphMs: seen.graph,
    ...(await page.evaluate<Record<string, number>>(partsInPage)),
    pageTaskMs: 1000 * (work.TaskDuration - workBefore.TaskDuration),
    pageScriptMs: 1000 * (work.ScriptDuration - workBefore.ScriptDuration),
    serverProcessorMs,
  });
}

async function mainThread(session: CDPSession): Promise<{ TaskDuration: number; ScriptDuration: number }> {
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (wanted: string): number => metrics.find(({ name }) => name === wanted)?.value ?? 0;
  return { TaskDuration: metric('TaskDuration'), ScriptDuration: metric('ScriptDuration') };
}

/** The processor time of a process in milliseconds; 0 where the system does not say it. */
function processorTime({ pid }: ChildProcess): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function rounded(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value)]));
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
      if (step > ${scrollSteps}) return done(gaps.sort((a, b) => b - a).slice(0, 5));
      frame.scrollTop = (frame.scrollHeight * step) / ${scrollSteps};
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
}
