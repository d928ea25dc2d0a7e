import { expect, it } from 'vitest';
import { plainOutput, readToolOutput } from './read-tool-output.js';

const data = { type: 'data', data: 'AQID' } as const;

it.each([
  [
    { type: 'text', value: 'x' },
    { type: 'text', value: 'x' },
  ],
  [
    { type: 'error-json', value: { a: undefined, b: 1 } },
    { type: 'error-json', value: { b: 1 } },
  ],
  [
    { type: 'execution-denied', reason: 'no' },
    { type: 'execution-denied', reason: 'no' },
  ],
  [{ type: 'execution-denied' }, { type: 'execution-denied' }],
  ['plain', { type: 'text', value: 'plain' }],
  [undefined, { type: 'json', value: null }],
  [
    { type: 'weather', degrees: 3 },
    { type: 'json', value: { type: 'weather', degrees: 3 } },
  ],
])('the output %j is read', (output, expected) => {
  expect(readToolOutput(output)).toEqual(expected);
});

it.each([
  ['v2', { type: 'media', data: 'AQID', mediaType: 'image/png' }, { mediaType: 'image/png', data }],
  ['v3', { type: 'image-data', data: 'AQID', mediaType: 'image/png' }, { mediaType: 'image/png', data }],
  [
    'v3',
    { type: 'file-data', data: 'AQID', mediaType: 'text/csv', filename: 'a' },
    { mediaType: 'text/csv', data, filename: 'a' },
  ],
  [
    'v3',
    { type: 'image-url', url: 'https://a.b/' },
    { mediaType: 'image/*', data: { type: 'url', url: 'https://a.b/' } },
  ],
  [
    'v3',
    { type: 'file-url', url: 'https://a.b/' },
    { mediaType: 'application/octet-stream', data: { type: 'url', url: 'https://a.b/' } },
  ],
  ['v4', { type: 'file', mediaType: 'image/png', data }, { mediaType: 'image/png', data }],
  [
    'v4',
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 3]) } },
    { mediaType: 'image/png', data },
  ],
  [
    'v4',
    { type: 'file', mediaType: 'a/b', data: { type: 'url', url: new URL('https://a.b') } },
    { mediaType: 'a/b', data: { type: 'url', url: 'https://a.b/' } },
  ],
])('a file of %s is read: %j', (_version, part, expected) => {
  expect(readToolOutput({ type: 'content', value: [part] })).toEqual({
    type: 'content',
    value: [{ type: 'file', ...expected }],
  });
});

it('parts that nobody else can read are at least text', () => {
  const value = [{ type: 'text', text: 'a' }, { type: 'file-id', fileId: 'f1' }, 'loose'];
  expect(readToolOutput({ type: 'content', value })).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'a' },
      { type: 'text', text: '{"type":"file-id","fileId":"f1"}' },
      { type: 'text', text: 'loose' },
    ],
  });
});

it('a plain result is text or JSON', () => {
  expect(plainOutput('x')).toEqual({ type: 'text', value: 'x' });
  expect(plainOutput({ at: new Date(0) })).toEqual({ type: 'json', value: { at: '1970-01-01T00:00:00.000Z' } });
  expect(plainOutput(() => 1)).toEqual({ type: 'json', value: null });
});
