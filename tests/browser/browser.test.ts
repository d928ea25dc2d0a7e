import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { accessibilityProblems } from './accessibility.js';
import { browserTest, saveScreenshot } from './browser.js';

const pages: Readonly<Record<string, string>> = {
  '/quiet': '<!doctype html><html lang="en"><title>Quiet</title><main><h1>Quiet</h1></main></html>',
  '/console': '<script>console.error("something is wrong")</script>',
  '/throws': '<script>throw new Error("nobody catches this")</script>',
  '/stranger': '<img src="http://stranger.example/picture.png">',
  '/missing': '<img src="/nothing.png">',
  '/blurred': '<!doctype html><title>Blurred</title><p style="color: #ddd; background: #fff">Who can read this?</p>',
};

const server: Server = createServer((request, response) => {
  const body = pages[request.url ?? ''] ?? (request.url === '/favicon.ico' ? '' : undefined);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? '');
});
let origin = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

describe('a page in a test', () => {
  browserTest('shows what the server sends, in the size and colours asked for', async ({ openPage }) => {
    const page = await openPage(`${origin}/quiet`, { width: 390, height: 700, colorScheme: 'dark' });
    expect(await page.textContent('h1')).toBe('Quiet');
    expect(page.viewportSize()).toEqual({ width: 390, height: 700 });
    expect(await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true);
  });

  browserTest('can be saved as a picture', async ({ openPage }) => {
    const path = await saveScreenshot(await openPage(`${origin}/quiet`), 'harness');
    expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
  });

  browserTest('says what keeps people from using it', async ({ openPage }) => {
    expect(await accessibilityProblems(await openPage(`${origin}/quiet`))).toEqual([]);
    const problems = await accessibilityProblems(await openPage(`${origin}/blurred`));
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['color-contrast', 'html-has-lang']);
  });

  browserTest('may have problems that the test causes on purpose', async ({ openPage }) => {
    await openPage(`${origin}/missing`, { tolerates: [/404/] });
  });
});

describe('a test fails when its page', () => {
  const culprits = {
    'writes an error to the console': '/console',
    'throws an error that nobody catches': '/throws',
    'asks another host for something': '/stranger',
    'misses a resource': '/missing',
  };
  for (const [name, path] of Object.entries(culprits)) {
    browserTest.fails(name, async ({ openPage }) => {
      const page = await openPage(`${origin}${path}`);
      await page.waitForLoadState('networkidle');
    });
  }
});
