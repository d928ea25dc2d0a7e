import { describe, expect, it } from 'vitest';
import { isAgentInput, problemOf } from './check-agent-input.js';

const user = (...content: readonly unknown[]): unknown => [{ role: 'user', content }];
const text = { type: 'text', text: 'What is this?' };
const mediaType = 'image/png';

describe('what an agent is asked', () => {
  it.each([
    'go',
    [{ role: 'user', content: 'go' }],
    user(text, { type: 'file', mediaType, data: { type: 'data', data: 'AAAA' } }),
    user({ type: 'file', mediaType, data: { type: 'url', url: 'https://example.com/a.png' } }),
  ])('may be %j', (input) => {
    expect(isAgentInput(input)).toBe(true);
  });

  it.each([
    ['a picture in the form of the AI SDK', { type: 'image', image: 'AAAA' }, 'has an image that is not { type:'],
    ['bytes', { type: 'file', mediaType, data: new Uint8Array(3) }, 'has a file that is not'],
    ['base64 alone', { type: 'file', mediaType, data: 'AAAA' }, 'has a file that is not'],
    ['a file of no type', { type: 'file', data: { type: 'data', data: 'AAAA' } }, 'has a file that is not'],
    ['no address', { type: 'file', mediaType, data: { type: 'url', url: 'a.png' } }, 'has a file that is not'],
    ['a text that is no part', 'What is this?', 'has "What is this?"'],
  ])('is refused before the run starts where it has %s', (_name, part, problem) => {
    expect(problemOf(user(text, part))).toContain(problem);
    expect(problemOf(user(text, part))).toContain('at [0].content[1]');
  });
});
