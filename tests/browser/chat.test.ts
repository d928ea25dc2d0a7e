import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { accessibilityProblems } from './accessibility.js';
import { browserTest, saveScreenshot } from './browser.js';
import { buildChatPage, type ChatServer, startChatServer } from './chat-server.js';

let server: ChatServer;

beforeAll(async () => {
  await buildChatPage();
  server = await startChatServer();
});
afterAll(() => server?.remove());

describe('the chat example without a key', () => {
  browserTest('answers with what the tools find for the company of the user', async ({ openPage }) => {
    const page = await openPage(server.origin);
    await page.getByRole('button', { name: 'Where is order 1001?' }).click();
    await ending(page).getByText('The model returned its final answer.').waitFor();
    expect(await page.getByRole('region', { name: 'find order' }).innerText()).toContain('Anvil');
    await saveScreenshot(page, 'chat-answer');
  });
});

function ending(page: Page): Locator {
  return page.locator('article footer').last();
}
void accessibilityProblems;
