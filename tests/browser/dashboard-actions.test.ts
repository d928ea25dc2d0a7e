import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import type { Place } from '../e2e/binary.js';
import { isInstalled, onTerminal, withoutColours } from '../e2e/terminal.js';
import { accessibilityProblems } from './accessibility.js';
import { browserTest, type OpenPage } from './browser.js';
import { binary, makeFolderWithRuns, programEnvironment, type RunningDashboard, startDashboard } from './dashboard.js';

let folder: string;
let dashboard: RunningDashboard;

const greetFile = `workflow: {name: greet, entry_point: stop, input: {who: {type: string, required: true}, times: {type: number, default: 2}}}
agents:
  - {name: stop, type: terminate, status: failed, reason: "{{ workflow.input.who }} {{ workflow.input.times }}"}
`;
const slowFile = `workflow: {name: slow, description: Waits for a day., entry_point: nap}
agents:
  - {name: nap, type: wait, duration: 24h, routes: [{to: $end}]}
`;

beforeAll(async () => {
  folder = await makeFolderWithRuns(45, 11);
  writeFileSync(join(folder, 'slow.yaml'), slowFile);
  writeFileSync(join(folder, 'greet.yaml'), greetFile);
  dashboard = await startDashboard(folder, '--by', 'maria');
});

async function open(openPage: OpenPage, path: string, options: Parameters<OpenPage>[1] = {}): Promise<Page> {
  const page = await openPage(dashboard.url, options);
  await page.locator('.header').waitFor();
  if (path !== '/') await page.goto(dashboard.at(path));
  return page;
}

/** Runs the command line in the folder of the store. */
function fullstop(...args: readonly string[]): {
  readonly code: number | null;
  readonly out: string;
  readonly said: string;
} {
  const env = programEnvironment(folder);
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, said: stderr };
}

/** Starts a release that waits at its gate. */
function waitingRelease(runId: string): void {
  expect(fullstop('run', 'release.yaml', '--run-id', runId, '-q', '--no-input').code).toBe(5);
}

function rowOf(page: Page, runId: string): Locator {
  return page.locator('.run-item', { hasText: runId });
}

/** The words in the row of a run, once they are there. */
async function rowSays(page: Page, runId: string, ending: string): Promise<void> {
  await rowOf(page, runId).locator('.pill', { hasText: ending }).waitFor();
}

describe('what waits for someone', () => {
  browserTest('is answered in place, and the run continues to its ending', async ({ openPage }) => {
    waitingRelease('release-yes');
    const page = await open(openPage, '/?name=release');
    await page.locator('.needs-you-card').first().waitFor();
    const all = page.getByRole('button', { name: /^Show all/ });
    if ((await all.count()) > 0) await all.click();
    const card = page.locator('.needs-you-card', { has: page.locator('a[href="/runs/release-yes"]') });
    await card.getByRole('button', { name: 'Release it' }).click();
    await rowSays(page, 'release-yes', 'flow_completed');
    await card.waitFor({ state: 'detached' });
    expect(fullstop('why', 'release-yes').out).toContain('maria');
  });

  browserTest('asks for more where a choice needs it, and the reason stands in the ending', async ({ openPage }) => {
    waitingRelease('release-no');
    const page = await open(openPage, '/?name=release');
    await rowOf(page, 'release-no')
      .getByRole('button', { name: /^Answer…/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Not now…' }).click();
    await dialog.getByRole('textbox', { name: 'why' }).fill('the tests are <b>red</b>');
    await dialog.getByRole('button', { name: 'Send: Not now' }).click();
    await rowSays(page, 'release-no', 'terminated');
    expect(await rowOf(page, 'release-no').locator('.run-sentence').innerText()).toContain(
      'Rejected: the tests are <b>red</b>',
    );
  });

  browserTest('is answered once: of two browsers one is first, and the other is told by whom', async ({ openPage }) => {
    waitingRelease('release-race');
    const one = await open(openPage, '/?name=release');
    const other = await open(openPage, '/?name=release', { tolerates: [/40\d/] });
    const answer = `fetch('/api/runs/release-race/answer', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requestId: 'approval', decision: 'choose', choice: 'approved' }) })
      .then(async (response) => ({ status: response.status, text: await response.text() }))`;
    interface Told {
      readonly status: number;
      readonly text: string;
    }
    const told = [await one.evaluate(answer), await other.evaluate(answer)] as Told[];
    expect(told.map(({ status }) => status)[0]).toBe(200);
    expect(told[1]?.status).toBe(409);
    expect(told[1]?.text).toMatch(/maria/);
    await rowSays(other, 'release-race', 'flow_completed');
  });

  browserTest('is answered while a terminal asks, which is told and shows the ending', async ({ openPage, skip }) => {
    skip(!isInstalled('script'), 'a terminal needs the program script');
    const place = { folder, path: (name: string) => join(folder, name) } as Place;
    const screen = onTerminal(place, ['run', 'release.yaml', '--run-id', 'release-terminal']);
    await screen.shows('Release it');
    const page = await open(openPage, '/?q=release-terminal');
    await rowOf(page, 'release-terminal')
      .getByRole('button', { name: /^Answer…/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release it' }).click();
    await rowSays(page, 'release-terminal', 'flow_completed');
    const { code, text } = await screen.over;
    expect(withoutColours(text)).toMatch(/Answered elsewhere by \S+; the run continues\./);
    expect(withoutColours(text)).toContain('The flow ran to its end; release was last.');
    expect(code).toBe(0);
    expect(fullstop('why', 'release-terminal').out).toContain('maria');
  });

  browserTest('approves a call with another input, and refuses what is no JSON', async ({ openPage }) => {
    const page = await open(openPage, '/?kind=interaction_pending');
    const card = page.locator('.needs-you-card', { hasText: 'support-agent' }).first();
    const href = await card.locator('.request-run').getAttribute('href');
    await card.getByRole('button', { name: 'Edit the input…' }).click();
    const input = card.getByRole('textbox');
    await input.fill('{ "amount": ');
    await card.getByText('This is no JSON').waitFor();
    expect(await card.getByRole('button', { name: 'Approve with this input' }).isDisabled()).toBe(true);
    await input.fill('{ "order": "A-1", "amount": 7, "reason": "goodwill" }');
    await card.getByRole('button', { name: 'Approve with this input' }).click();
    await page.locator(`.needs-you-card a[href="${href}"]`).waitFor({ state: 'detached' });
    await page.locator('.toast').waitFor();
  });
});

describe('a run that stopped', () => {
  browserTest('is resumed with a larger limit and reaches its end', async ({ openPage }) => {
    expect(fullstop('run', 'crawl.yaml', '--run-id', 'crawl-one', '-i', 'pages=9', '-q').code).toBe(3);
    const page = await open(openPage, '/?name=crawl');
    await rowOf(page, 'crawl-one')
      .getByRole('button', { name: /^Resume…/ })
      .click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('textbox', { name: 'Iterations' }).inputValue()).toBe('10');
    await dialog.getByRole('textbox', { name: 'Iterations' }).fill('0');
    await dialog.getByText('Iterations: a whole number above 0 is needed, not "0".').waitFor();
    await dialog.getByRole('textbox', { name: 'Iterations' }).fill('30');
    expect(await dialog.locator('.command code').innerText()).toBe('fullstop resume crawl-one --max-iterations 30');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Resume', exact: true }).click();
    await rowSays(page, 'crawl-one', 'flow_completed');
    expect(await rowOf(page, 'crawl-one').locator('.tag').allInnerTexts()).toContain('segment 2');
  });

  browserTest('is resumed with all others of its cause, after a preview', async ({ openPage }) => {
    const page = await open(openPage, '/endings');
    const group = page.locator('.group', { hasText: 'Stopped at the limit of 5 steps' });
    const count = Number(await group.locator('.group-count').innerText());
    await group.getByRole('button', { name: /^Resume all…/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`What will happen to ${count} runs`).waitFor();
    expect(await dialog.locator('.bulk-item').count()).toBe(count);
    await dialog.getByRole('textbox', { name: 'Iterations' }).fill('40');
    await dialog.getByRole('button', { name: `Resume ${count} runs` }).click();
    await page.getByText(`${count} runs resumed.`).waitFor();
    await group.waitFor({ state: 'detached' });
    await page.goto(dashboard.at('/?name=crawl&category=capacity'));
    await page.getByText('No run fits these filters.').waitFor();
  });

  browserTest('is run again where its ending is final', async ({ openPage }) => {
    waitingRelease('release-again');
    const answered = fullstop('answer', 'release-again', '--choose', 'rejected', '--field', 'why=later');
    expect(answered.said).toContain('Rejected: later');
    const page = await open(openPage, '/?name=release');
    await rowOf(page, 'release-again').waitFor();
    const before = await page.locator('.run-item').count();
    await rowOf(page, 'release-again')
      .getByRole('button', { name: /^Run again…/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start a new run' }).click();
    await page.locator('.toast').waitFor();
    await expect.poll(() => page.locator('.run-item').count()).toBe(before + 1);
    await page.locator('.run-item', { hasText: 'gate_pending' }).first().waitFor();
  });
});

describe('a run with inputs', () => {
  browserTest('is run again with others, from a form and from JSON', async ({ openPage }) => {
    expect(fullstop('run', 'greet.yaml', '-i', 'who=ada', '--run-id', 'greet-1', '-q').code).toBe(1);
    const page = await open(openPage, '/?name=greet');
    const again = async (): Promise<Locator> => {
      await rowOf(page, 'greet-1')
        .getByRole('button', { name: /^Run again…/ })
        .click();
      return page.getByRole('dialog');
    };
    const dialog = await again();
    const who = dialog.getByRole('textbox', { name: /^who/ });
    expect(await who.inputValue()).toBe('ada');
    await dialog.getByRole('textbox', { name: /^times/ }).fill('many');
    await dialog.getByText('times: a number is needed, not "many".').waitFor();
    await dialog.getByRole('textbox', { name: /^times/ }).fill('3');
    expect(await dialog.locator('.command').innerText()).toContain('-i times=3');
    await dialog.getByRole('button', { name: 'Start a new run' }).click();
    await page.locator('.run-item', { hasText: 'ada 3' }).waitFor();
    const json = await again();
    await json.getByRole('button', { name: 'As JSON' }).click();
    await json.getByRole('textbox', { name: /^Other inputs/ }).fill('{"who": "bob"}');
    await json.getByRole('button', { name: 'Start a new run' }).click();
    await page.locator('.run-item', { hasText: 'bob 2' }).waitFor();
  });
});

describe('a run that is under way', () => {
  browserTest('is started from a form and cancelled with a reason', async ({ openPage }) => {
    const page = await open(openPage, '/start');
    await page.getByRole('link', { name: /slow.yaml/ }).click();
    await page.getByRole('button', { name: 'Start slow' }).click();
    await page.waitForURL(/\/runs\//);
    const runId = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '');
    await page.goto(dashboard.at('/?name=slow'));
    await rowOf(page, runId)
      .getByRole('button', { name: /^Cancel…/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('wrong day');
    await dialog.getByRole('button', { name: 'Cancel the run' }).click();
    await rowSays(page, runId, 'cancelled');
    expect(await rowOf(page, runId).locator('.run-sentence').innerText()).toContain('wrong day');
  });

  browserTest('appears in an open list, with its ending, without a reload', async ({ openPage }) => {
    const page = await open(openPage, '/?q=crawl-live');
    await page.getByText('No run fits these filters.').waitFor();
    fullstop('run', 'crawl.yaml', '--run-id', 'crawl-live', '-i', 'pages=2', '-q');
    await rowSays(page, 'crawl-live', 'flow_completed');
  });

  browserTest('cannot be touched where the dashboard is read only', async ({ openPage }) => {
    const quiet = await startDashboard(folder, '--read-only');
    const page = await openPage(quiet.url);
    await page.getByText('read only', { exact: true }).waitFor();
    await page.locator('.needs-you-card').first().waitFor();
    expect(await page.locator('.needs-you-card button.button-primary').first().isDisabled()).toBe(true);
    expect(await page.getByRole('link', { name: 'Start' }).count()).toBe(0);
  });
});
