import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, onTestFinished } from 'vitest';
import { browserTest, reboundName, saveScreenshot } from './browser.js';
import { binary, makeFolder, programEnvironment, startDashboard } from './dashboard.js';
import { addLongRun } from './store/long-run.js';

const files: Readonly<Record<string, string>> = {
  'count.yaml': `workflow: {name: count, entry_point: one}
agents:
  - {name: one, type: set, value: "1", routes: [{to: $end}]}
`,
  'nap.yaml': `workflow: {name: nap, entry_point: note}
agents:
  - {name: note, type: set, value: begun, routes: [{to: nap}]}
  - {name: nap, type: script, command: sleep, args: ["60"], routes: [{to: $end}]}
`,
  'ask.yaml': `workflow: {name: ask, entry_point: ask}
agents:
  - name: ask
    type: questions
    questions: [{id: name, text: "What is it called?"}]
    routes: [{to: $end}]
`,
  'hostile.yaml': `workflow: {name: "<img src=x onerror=alert(1)>", entry_point: stop}
agents:
  - name: stop
    type: terminate
    status: failed
    reason: "<script>alert(1)</script> \\u202egnihtemos\\u202c \\u001b[31mred\\u001b[0m שלום"
`,
};

function makeFiles(): string {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function run(folder: string, file: string, runId: string): void {
  spawnSync(process.execPath, [binary, 'run', file, '--run-id', runId, '-q'], {
    cwd: folder,
    env: programEnvironment(folder),
  });
}

/** The problems caused on purpose: connections to a server that was killed, and a cookie of the one before. */
const brokenConnections = [
  /ERR_CONNECTION_REFUSED/,
  /ERR_EMPTY_RESPONSE/,
  /ERR_INCOMPLETE_CHUNKED_ENCODING/,
  /ERR_CONNECTION_RESET/,
  /401/,
];

describe('the connection of the page', () => {
  browserTest('says that it is lost, and continues with a server that was started again', async ({ openPage }) => {
    const folder = makeFiles();
    run(folder, 'count.yaml', 'before');
    const first = await startDashboard(folder);
    const page = await openPage(first.url, { tolerates: brokenConnections });
    await page.locator('.connection', { hasText: 'Live' }).waitFor();
    await first.stop('SIGKILL');
    await page.locator('.connection', { hasText: 'Reconnecting' }).waitFor();
    await page.getByText('what is shown may be old').waitFor();
    run(folder, 'count.yaml', 'meanwhile');
    const second = await startDashboard(folder, '--port', new URL(first.url).port);
    await page.locator('.connection', { hasText: 'Not connected' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(second.url);
    await other.locator('.run-item', { hasText: 'meanwhile' }).waitFor();
    await page.bringToFront();
    await page.locator('.connection', { hasText: 'Live' }).waitFor();
    await page.locator('.run-item', { hasText: 'meanwhile' }).waitFor();
    expect(await page.locator('.run-item', { hasText: 'before' }).count()).toBe(1);
  });

  browserTest('tells someone without the token where to get it', async ({ openPage }) => {
    const dashboard = await startDashboard(makeFiles());
    const page = await openPage(new URL('/', dashboard.url).href, { tolerates: [/401/] });
    expect(await page.locator('body').innerText()).toMatch(/fullstop dashboard/);
    const wrong = await openPage(new URL('/?token=guess', dashboard.url).href, { tolerates: [/401/] });
    expect(await wrong.locator('body').innerText()).toMatch(/token/);
  });
});

describe('a page that loses its server while someone reads a long journal', () => {
  browserTest('stays where it is, and reads there what it could not', async ({ openPage }) => {
    const folder = makeFolder();
    mkdirSync(join(folder, '.fullstop'));
    await addLongRun(folder, 1000);
    const first = await startDashboard(folder);
    const page = await openPage(first.url, { tolerates: brokenConnections });
    await page.locator('.connection', { hasText: 'Live' }).waitFor();
    await page.goto(first.at('/runs/r_long/journal'));
    await page.locator('.entry-seq').first().waitFor();
    await page.locator('.connection', { hasText: 'Live' }).waitFor();
    await first.stop('SIGKILL');
    await page.locator('.connection', { hasText: 'Reconnecting' }).waitFor();
    const frame = page.locator('.virtual-frame');
    await frame.evaluate((element) => element.scrollTo(0, element.scrollHeight * 0.8));
    await page.locator('.journal .notice').waitFor();
    const place = await frame.evaluate(({ scrollTop }) => scrollTop);
    const second = await startDashboard(folder, '--port', new URL(first.url).port);
    await page.locator('.connection', { hasText: 'Not connected' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(second.url);
    await other.locator('.run-item').first().waitFor();
    await page.bringToFront();
    await page
      .locator('.entry-seq', { hasText: /^8\d\d$/ })
      .first()
      .waitFor();
    await page.locator('.journal .notice').waitFor({ state: 'detached' });
    expect(await frame.evaluate(({ scrollTop }) => scrollTop)).toBe(place);
  });
});

describe('a page of another server on this machine', () => {
  browserTest('is refused, although the browser sends the cookie with what it asks', async ({ openPage }) => {
    const folder = makeFiles();
    run(folder, 'count.yaml', 'ours');
    const dashboard = await startDashboard(folder);
    const elsewhere = createServer((_request, response) => response.end('<!doctype html><title>elsewhere</title>'));
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
    onTestFinished(() => void elsewhere.close());
    const page = await openPage(dashboard.url, { tolerates: [/403/] });
    await page.locator('.run-item', { hasText: 'ours' }).waitFor();
    await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
    await page.evaluate(`{
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', action: ${JSON.stringify(dashboard.at('/api/runs/ours/cancel'))} });
      document.body.append(form);
      form.submit();
    }`);
    await page.getByText('Only pages of this server may ask it.').waitFor();
  });
});

describe('a name of somebody else that leads to this machine', () => {
  browserTest('is refused, and nothing is told, also with the token', async ({ openPage }) => {
    const folder = makeFiles();
    run(folder, 'count.yaml', 'ours');
    const dashboard = await startDashboard(folder);
    const rebound = (path: string): string => {
      const address = new URL(path, dashboard.url);
      address.hostname = reboundName;
      return address.href;
    };
    const page = await openPage(rebound(dashboard.url), { tolerates: [new RegExp(reboundName)] });
    const seen = [await page.locator('body').innerText()];
    for (const path of ['/api/runs', '/api/runs/ours', '/runs/ours', '/index.html']) {
      const answer = await page.goto(rebound(path));
      expect([path, answer?.status()]).toEqual([path, 421]);
      seen.push(await page.locator('body').innerText());
    }
    for (const text of seen) {
      expect(text).toContain(`This server is not \\"${reboundName}`);
      expect(text).not.toContain('ours');
    }
    expect(await page.context().cookies()).toEqual([]);
  });
});

describe('a question in words', () => {
  browserTest('has a button to send them that stands out, and none to skip it', async ({ openPage }) => {
    const folder = makeFiles();
    run(folder, 'ask.yaml', 'asked');
    const dashboard = await startDashboard(folder);
    const page = await openPage(dashboard.url);
    const card = page.locator('.needs-you-card');
    await card.getByRole('button', { name: 'Skip all' }).waitFor();
    expect(await card.locator('.button-primary').allInnerTexts()).toEqual(['Send']);
    await saveScreenshot(page, 'question-in-words');
  });
});

describe('what the list shows of runs that went wrong', () => {
  browserTest(
    'says of a run whose owner died that nobody executes it, and offers to continue',
    async ({ openPage }) => {
      const folder = makeFiles();
      const owner = spawn(process.execPath, [binary, 'run', 'nap.yaml', '--run-id', 'left-alone', '-q'], {
        cwd: folder,
        env: programEnvironment(folder),
        stdio: 'ignore',
      });
      const gone = new Promise((done) => owner.on('close', done));
      const dashboard = await startDashboard(folder);
      const page = await openPage(dashboard.url);
      const row = page.locator('.run-item', { hasText: 'left-alone' });
      await row.locator('.pill.tone-running').waitFor();
      owner.kill('SIGKILL');
      await gone;
      await row.locator('.pill.tone-unknown', { hasText: 'orphaned' }).waitFor();
      expect(await row.getByRole('button', { name: /^Resume…/ }).count()).toBe(1);
    },
  );

  browserTest('says of a damaged run that it is, and draws nothing of it', async ({ openPage }) => {
    const folder = makeFiles();
    run(folder, 'count.yaml', 'changed');
    const database = new Database(join(folder, '.fullstop/runs.db'));
    const fixed = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'journal_fixed'").get() as {
      sql: string;
    };
    database.exec('DROP TRIGGER journal_fixed');
    database.exec("UPDATE journal SET data = replace(data, 'count', 'other') WHERE seq = 1");
    database.exec(fixed.sql);
    database.close();
    const dashboard = await startDashboard(folder);
    const page = await openPage(dashboard.url);
    await page.locator('.run-item', { hasText: 'changed' }).waitFor();
    await page.goto(dashboard.at('/runs/changed'));
    await page.locator('.run-banner.tone-unknown h2', { hasText: 'Damaged' }).waitFor();
    await page.getByText('does not fit its hash').first().waitFor();
    expect(await page.locator('.step-node').count()).toBe(0);
  });

  browserTest('shows hostile texts as texts', async ({ openPage }) => {
    const folder = makeFiles();
    run(folder, 'hostile.yaml', 'hostile');
    const dashboard = await startDashboard(folder);
    const page = await openPage(dashboard.url);
    const row = page.locator('.run-item', { hasText: 'hostile' });
    expect(await row.locator('.run-link').innerText()).toBe('<img src=x onerror=alert(1)>');
    expect(await row.locator('.run-sentence').innerText()).toContain('<script>alert(1)</script>');
    expect(await page.locator('.run-item img, .run-item script').count()).toBe(0);
  });
});
