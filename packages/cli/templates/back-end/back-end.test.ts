import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'back-end-'));
const children: ChildProcess[] = [];
after(async () => {
  const exits = children.map((child) => new Promise((done) => child.once('exit', done)));
  for (const child of children) child.kill();
  await Promise.all(exits);
  rmSync(folder, { recursive: true });
});

/** Starts one of the two processes and returns its port. */
async function start(role: 'serve' | 'work'): Promise<string> {
  const env = { PATH: process.env['PATH'], PORT: '0', STORE: join(folder, 'runs.db') };
  const child = spawn(process.execPath, ['--import', 'tsx', 'back-end.ts', role], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  return await new Promise((done) => {
    lines.on('line', (line) => {
      const port = / on (\d+)$/.exec(line)?.[1];
      if (port !== undefined) done(port);
    });
  });
}

/** Reads what a run does until the given kind of entry has come. */
async function follow(url: string, last: string): Promise<void> {
  const { body } = await fetch(`${url}/events`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes(last)) return;
  }
  assert.fail(`The run ended without ${last}:\n${text}`);
}

test('a run is started, asks before it pays, and ends', async () => {
  const [port] = await Promise.all([start('serve'), start('work')]);
  const url = `http://127.0.0.1:${port}/runs/invoice-7`;
  assert.equal((await fetch(url, { method: 'PUT', body: 'Pay invoice 7' })).status, 202);
  await follow(url, 'interaction_pending');
  const answer = { method: 'POST', body: JSON.stringify({ approved: true, by: 'maria' }) };
  assert.equal((await fetch(`${url}/answers/payment`, answer)).status, 200);
  await follow(url, 'natural_end');
});
