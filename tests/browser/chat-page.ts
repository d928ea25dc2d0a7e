import type { Locator, Page } from 'playwright-core';

/** The chat example as a person uses it: every wait is for something that is to be seen. */
export interface ChatPage {
  readonly page: Page;
  readonly composer: Locator;
  readonly stop: Locator;
  send(text: string): Promise<void>;
  press(name: string): Promise<void>;
  /** Waits for words anywhere in the conversation. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits for this ending of the last message, and returns why it stopped. */
  ending(title: string | RegExp): Promise<string>;
  /** The words of everybody, in order: the texts of the messages without calls and endings. */
  said(): Promise<readonly string[]>;
}

export function chatPage(page: Page): ChatPage {
  const conversation = page.getByRole('main');
  return {
    page,
    composer: page.getByLabel('Message'),
    stop: page.getByRole('button', { name: 'Stop' }),
    async send(text) {
      await page.getByLabel('Message').fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    },
    press: (name) => page.getByRole('button', { name }).click(),
    sees: (text) => conversation.getByText(text).first().waitFor(),
    async ending(title) {
      const last = page.locator('article').last().locator('footer').filter({ hasText: title });
      await last.waitFor();
      return (await last.locator('p').textContent()) ?? '';
    },
    said: async () => {
      const articles = await page.locator('article').all();
      return await Promise.all(
        articles.map(async (article) => (await article.locator('.text').allInnerTexts()).join(' ')),
      );
    },
  };
}
