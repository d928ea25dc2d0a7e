import { afterAll, beforeAll, describe, expect } from 'vitest';
import { accessibilityProblems } from './accessibility.js';
import { browserTest, saveScreenshot } from './browser.js';
import { chatPage } from './chat-page.js';
import { type ChatServer, startChatServer } from './chat-server.js';

let server: ChatServer;

beforeAll(async () => {
  server = await startChatServer();
});
afterAll(() => server?.remove());

const done = 'Answered';

describe('the chat example without a key', () => {
  browserTest('tells each user what their company has', async ({ openPage }) => {
    const chat = chatPage(await openPage(server.origin));
    await chat.press('Where is order 1001?');
    expect(await chat.ending(done)).toContain('The model returned its final answer. Nothing to do');
    expect(await chat.said()).toEqual([
      'Where is order 1001?',
      'Let me look that up. The anvil for € 120 is in transit, arrives on Friday.',
    ]);
    expect(await chat.page.getByRole('region', { name: 'find order' }).innerText()).toContain('Anvil');
    const address = chat.page.url();

    await chat.page.getByLabel('Signed in as').selectOption('Bo');
    await chat.page.getByText('Globex').waitFor();
    await chat.press('Where is order 1001?');
    await chat.sees('The orbital mirror for € 9,900 is being built.');

    // The address of a chat opens it for the one whose chat it is.
    await chat.page.goto(address);
    await chat.sees('How can I help?');
  });

  browserTest('refunds after an approval in the page, once', async ({ openPage }) => {
    const chat = chatPage(await openPage(server.origin));
    await chat.press('Refund order 1002');
    expect(await chat.ending('Waiting for you')).toContain('Waiting for 1 answer: approval of refund_order.');
    await chat.press('Approve');
    await chat.ending(done);
    const [, answer] = await chat.said();
    expect(answer).toMatch(/^I will refund order 1002\. I paid € 349 back\. Your receipt is \S+\.$/);
    expect(await chat.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);

    // The next turn follows in the same conversation, and a reload shows both.
    await chat.send('Where is order 1002?');
    await chat.sees('The rocket skates for € 349 is delivered on Monday.');
    await chat.ending(done);
    const before = await chat.said();
    await chat.page.reload();
    await chat.ending(done);
    expect(await chat.said()).toEqual(before);
  });

  browserTest('leaves the order as it is when the user declines', async ({ openPage }) => {
    const chat = chatPage(await openPage(server.origin));
    await chat.press('Refund order 1002');
    await chat.press('Decline');
    await chat.sees('Then I leave it as it is.');
    expect(await chat.page.getByRole('region', { name: 'refund order' }).innerText()).toContain('declined');
    await chat.ending(done);
  });

  browserTest('lets a question be stopped instead of answered', async ({ openPage }) => {
    const chat = chatPage(await openPage(server.origin));
    await chat.press('Refund order 1002');
    await chat.ending('Waiting for you');
    await chat.stop.click();
    expect(await chat.ending('Stopped')).toContain('Cancelled by the caller.');
    await chat.send('Where is order 1002?');
    await chat.sees('delivered on Monday');
  });
});

describe('the chat page', () => {
  const looks = [
    { name: 'desktop-light', width: 1280, height: 800, colorScheme: 'light' },
    { name: 'desktop-dark', width: 1280, height: 800, colorScheme: 'dark' },
    { name: 'phone-light', width: 390, height: 844, colorScheme: 'light' },
    { name: 'phone-dark', width: 390, height: 844, colorScheme: 'dark' },
  ] as const;
  for (const { name, ...look } of looks) {
    browserTest(`is usable by everyone and as wide as its window: ${name}`, async ({ openPage }) => {
      const chat = chatPage(await openPage(server.origin, look));
      await chat.sees('How can I help?');
      expect(await accessibilityProblems(chat.page)).toEqual([]);
      await saveScreenshot(chat.page, `chat-${name}-empty`);
      await chat.press('Refund order 1002');
      await chat.ending('Waiting for you');
      expect(await accessibilityProblems(chat.page)).toEqual([]);
      await saveScreenshot(chat.page, `chat-${name}-question`);
      await chat.press('Approve');
      await chat.ending(done);
      await chat.send('How do returns work?');
      await chat.sees('Ask me to refund an order when you are ready.');
      await chat.ending(done);
      expect(await accessibilityProblems(chat.page)).toEqual([]);
      expect(await chat.page.evaluate('document.documentElement.scrollWidth')).toBe(look.width);
      await saveScreenshot(chat.page, `chat-${name}`);
    });
  }
});
