import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect } from 'vitest';
import { accessibilityProblems } from './accessibility.js';
import { browserTest, saveScreenshot } from './browser.js';
import { binary, makeFolder, programEnvironment } from './dashboard.js';
import { addSpecialRuns } from './run-page-store.js';

let folder: string;

/** Opening the file itself is all that it may ask for. */
const tolerates = [/^request to another host: GET file:\/\/\S+\.html$/];

beforeAll(async () => {
  folder = makeFolder();
  spawnSync('mkdir', ['-p', join(folder, '.fullstop')]);
  await addSpecialRuns(folder);
  for (const runId of ['r_layered', 'r_hostile']) {
    const { status, stderr } = spawnSync(process.execPath, [binary, 'report', runId, '-o', `${runId}.html`], {
      cwd: folder,
      env: programEnvironment(folder),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
  }
});

describe('a report', () => {
  browserTest('is the page of the run without a server and without a network', async ({ openPage }) => {
    const page = await openPage(pathToFileURL(join(folder, 'r_layered.html')).href, {
      tolerates,
      context: { offline: true },
    });
    await page.locator('.run-banner h2').waitFor();
    expect(await page.locator('.run-banner h2').innerText()).toBe('Workflow Terminated');
    await page.locator('.step-node-terminate', { hasText: 'refuse' }).waitFor();
    await page.getByRole('slider', { name: 'Entry of the journal' }).fill('5');
    await page.locator('.step-node-unreached', { hasText: /^sub/ }).first().waitFor();
    expect(page.url()).toMatch(/#\/runs\/r_layered\?at=5$/);
    for (const tab of ['Timeline', 'Conversation', 'Journal', 'What if', 'Why']) {
      await page.getByRole('navigation', { name: 'About this run' }).getByRole('link', { name: tab }).click();
      await page.locator('.tab-panel > *').first().waitFor();
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    await saveScreenshot(page, 'report');
  });

  browserTest('shows hostile content as text', async ({ openPage }) => {
    const address = `${pathToFileURL(join(folder, 'r_hostile.html')).href}#/runs/r_hostile/conversation`;
    const page = await openPage(address, { tolerates: [/GET file:\/\/\S+/], context: { offline: true } });
    await page.locator('.message-tool').waitFor();
    expect(await page.locator('.message-tool').innerText()).toContain('<script>document.title = "taken"</script>');
    expect(await page.title()).not.toBe('taken');
  });
});
