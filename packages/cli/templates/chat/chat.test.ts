import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'chat-'));
const server = spawn(process.execPath, ['--import', 'tsx', 'server.ts'], {
  // Without keys, so that the model is the one that needs none.
  env: { PATH: process.env['PATH'], PORT: '0', CHAT_FILE: join(folder, 'chat.db') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let url = '';
before(async () => {
  for await (const line of createInterface({ input: server.stdout })) {
    url = line;
    break;
  }
});
after(async () => {
  const exited = new Promise((done) => server.once('exit', done));
  server.kill();
  await exited;
  rmSync(folder, { recursive: true });
});

/** Sends a message and reads the answer to its end. */
async function say(text: string): Promise<string> {
  const message = { role: 'user', parts: [{ type: 'text', text }] };
  const response = await fetch(`${url}/api/chats`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'first', trigger: 'submit-message', message }),
  });
  assert.equal(response.status, 200);
  return await response.text();
}

test('a question about an order is answered, and the ending comes with the last part', async () => {
  assert.match(await say('Where is order 1001?'), /natural_end/);
});

test('a refund is asked about first', async () => {
  assert.match(await say('Please refund order 1002'), /interaction_pending/);
});

test('the chat is there for whoever comes later', async () => {
  const messages = (await (await fetch(`${url}/api/chats/first`)).json()) as readonly { role: string }[];
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'user', 'assistant'],
  );
});
