import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import { type ModelServer, startModelServer } from '../models/servers/model-server.js';
import { browserTest, saveScreenshot } from './browser.js';
import { chatPage } from './chat-page.js';
import { type ChatServer, startChatServer } from './chat-server.js';

let model: ModelServer;
let server: ChatServer;

beforeAll(async () => {
  model = await startModelServer();
  server = await startChatServer({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.url });
});
afterAll(async () => {
  await server?.remove();
  await model?.close();
});
beforeEach(() => model.reset());

const done = 'Answered';
const answer = 'one two three four five six seven eight nine ten';
/** As far as the model speaks before it is held, and what it says only then. */
const beginning = 'one two three';
const rest = 'nine ten';
const lookUp = { toolCalls: [{ id: 'call_1', name: 'find_order', arguments: '{"order":"1001"}' }] };
const refund = { toolCalls: [{ id: 'call_2', name: 'refund_order', arguments: '{"order":"1002"}' }] };

/** An answer that stops in the middle until it is released. */
function heldAnswer() {
  let release: () => void = () => undefined;
  const heldUntil = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { reply: { text: answer, heldUntil }, release };
}

describe('a page that follows a turn', () => {
  browserTest('shows the words as they come, and the ending when it is there', async ({ openPage }) => {
    const held = heldAnswer();
    model.reply(held.reply);
    const chat = chatPage(await openPage(server.origin));
    await chat.send('Count to ten');
    await chat.sees(beginning);
    await chat.stop.waitFor();
    expect((await chat.said())[1]).not.toContain(rest);
    expect(await chat.page.locator('footer').count()).toBe(0);
    held.release();
    await chat.ending(done);
    expect(await chat.said()).toEqual(['Count to ten', answer]);
  });

  browserTest('shows it again after a reload in the middle, and in a second tab', async ({ openPage }) => {
    const held = heldAnswer();
    model.reply(held.reply);
    const chat = chatPage(await openPage(server.origin));
    await chat.send('Count to ten');
    await chat.sees(beginning);
    await chat.page.reload();
    await chat.sees(beginning);
    const second = chatPage(await openPage(chat.page.url()));
    await second.sees(beginning);
    held.release();
    for (const tab of [chat, second]) {
      await tab.ending(done);
      expect(await tab.said()).toEqual(['Count to ten', answer]);
    }
    expect(model.requests).toHaveLength(1);
  });

  browserTest('stops it on demand, says so, and tries again', async ({ openPage }) => {
    const held = heldAnswer();
    model.reply(held.reply, { text: 'ten' });
    const chat = chatPage(await openPage(server.origin));
    await chat.send('Count to ten');
    await chat.sees(beginning);
    await chat.stop.click();
    expect(await chat.ending('Stopped')).toContain('Cancelled by the caller.');
    await expect.poll(() => model.abandoned()).toBe(1);
    await saveScreenshot(chat.page, 'chat-stopped');
    await chat.press('Try again');
    await chat.ending(done);
    expect(await chat.said()).toEqual(['Count to ten', 'ten']);
    await chat.page.reload();
    await chat.ending(done);
    expect(await chat.said()).toEqual(['Count to ten', 'ten']);
    held.release();
  });

  browserTest('says in words why a turn failed, and tries again', async ({ openPage }) => {
    model.reply({ status: 401, message: 'secret-of-the-provider', code: 'invalid_api_key' }, { text: 'Here I am.' });
    const chat = chatPage(await openPage(server.origin));
    await chat.send('Hello');
    expect(await chat.ending('Something is wrong on our side')).toContain('refused the credentials (HTTP 401)');
    expect(await chat.page.innerText('body')).not.toContain('secret-of-the-provider');
    await saveScreenshot(chat.page, 'chat-failed');
    await chat.press('Try again');
    await chat.ending(done);
    expect(await chat.said()).toEqual(['Hello', 'Here I am.']);
  });

  browserTest('shows what another tab did when that was first', async ({ openPage }) => {
    const held = heldAnswer();
    model.reply({ text: 'First.' }, held.reply);
    const chat = chatPage(await openPage(server.origin, { tolerates: [/409/] }));
    await chat.send('Hello');
    await chat.ending(done);
    const second = chatPage(await openPage(chat.page.url()));
    await second.ending(done);
    await second.send('Count to ten');
    await second.sees(beginning);
    await chat.send('Too late');
    await chat.sees(beginning);
    expect(await chat.composer.inputValue()).toBe('Too late');
    held.release();
    await chat.ending(done);
    expect(await chat.said()).toEqual(['Hello', 'First.', 'Count to ten', answer]);
  });
});

browserTest(
  'an approval that comes too late is refused, and the page shows what became of the turn',
  async ({ openPage }) => {
    model.reply(refund);
    const chat = chatPage(await openPage(server.origin, { tolerates: [/40[09]/] }));
    await chat.send('Refund order 1002');
    await chat.ending('Waiting for you');
    const second = chatPage(await openPage(chat.page.url()));
    await second.ending('Waiting for you');
    await second.stop.click();
    await second.ending('Stopped');
    await chat.press('Approve');
    await chat.ending('Stopped');
    expect(model.requests).toHaveLength(1);
  },
);

browserTest('a request that no page sends is refused', async () => {
  const bodies = [
    'no JSON',
    '{}',
    JSON.stringify({ id: '../x', trigger: 'submit-message', message: { role: 'user', parts: [] } }),
  ];
  for (const body of bodies) {
    const response = await fetch(`${server.origin}/api/chats`, { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([400, { code: 'BAD_REQUEST' }]);
  }
  const stranger = await fetch(`${server.origin}/api/me`, { headers: { cookie: 'user=mallory' } });
  expect([stranger.status, await stranger.json()]).toEqual([401, { code: 'NOT_SIGNED_IN' }]);
});

const isDown = {
  tolerates: [/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/],
};

describe('a server that is killed with -9', () => {
  browserTest('continues the turn when it is back, and the page shows it', async ({ openPage }) => {
    const held = heldAnswer();
    model.reply(lookUp, held.reply, { text: answer });
    const chat = chatPage(await openPage(server.origin, isDown));
    await chat.send('Where is order 1001?');
    await chat.sees(beginning);
    await server.kill();
    await chat.sees('Connection lost. Reconnecting …');
    await saveScreenshot(chat.page, 'chat-lost');
    await server.restart();
    await chat.ending(done);
    expect(await chat.said()).toEqual(['Where is order 1001?', answer]);
    expect(await chat.page.getByRole('region', { name: 'find order' }).count()).toBe(1);
    // The first call and its tool are in the journal: only the answer that broke off was asked for again.
    expect(model.requests).toHaveLength(3);
    held.release();
  });

  browserTest('still has the question that it asked', async ({ openPage }) => {
    model.reply(refund, { text: 'Paid back.' });
    const chat = chatPage(await openPage(server.origin, isDown));
    await chat.send('Refund order 1002');
    await chat.ending('Waiting for you');
    await server.kill();
    await server.restart();
    await chat.press('Approve');
    await chat.ending(done);
    expect(await chat.said()).toEqual(['Refund order 1002', 'Paid back.']);
    expect(await chat.page.getByRole('region', { name: 'refund order' }).innerText()).toContain('€ 349');
  });

  browserTest('loses no words that were typed while it was down', async ({ openPage }) => {
    model.reply({ text: 'Hello.' }, { text: 'I am back.' });
    const chat = chatPage(await openPage(server.origin, isDown));
    await chat.send('Hello');
    await chat.ending(done);
    await server.kill();
    await chat.send('Anybody there?');
    await chat.sees('Connection lost. Reconnecting …');
    await server.restart();
    await expect.poll(() => chat.composer.inputValue()).toBe('Anybody there?');
    await chat.page.getByRole('button', { name: 'Send' }).click();
    await chat.ending(done);
    expect(await chat.said()).toEqual(['Hello', 'Hello.', 'Anybody there?', 'I am back.']);
  });
});
