import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { bytesOf, fromBase64, hmacFits, hmacOf, sha256 } from './web-crypto.js';

it('hashes as Node does', async () => {
  expect(await sha256('größe')).toBe(createHash('sha256').update('größe').digest('hex'));
});

it('signs as Node does, and knows its own signatures', async () => {
  const key = bytesOf('key');
  const signature = await hmacOf(key, 'text');
  expect(signature).toBe(createHmac('sha256', 'key').update('text').digest('base64'));
  expect(await hmacFits(key, 'text', signature)).toBe(true);
  expect(await hmacFits(key, 'texT', signature)).toBe(false);
  expect(await hmacFits(key, 'text', 'no base64!')).toBe(false);
});

it('reads base64', () => {
  expect(fromBase64('AQL/')).toEqual(new Uint8Array([1, 2, 255]));
  expect(fromBase64('***')).toBeUndefined();
});
