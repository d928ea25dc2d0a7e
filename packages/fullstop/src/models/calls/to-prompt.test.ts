import { describe, expect, it } from 'vitest';
import type { ModelMessage, ToolOutput } from '../message.js';
import { versions } from '../versions.fixture.js';
import { type KnownPrompts, toPrompt } from './to-prompt.js';

const data = { type: 'data', data: 'AAAA' } as const;
const address = { type: 'url', url: 'https://example.com/a.png' } as const;
const url = new URL(address.url);

/** A conversation that has the same form everywhere. */
const common: readonly ModelMessage[] = [
  { role: 'system', content: 'Be brief.', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
  { role: 'user', content: [{ type: 'text', text: 'go' }] },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 's' } } },
      { type: 'text', text: 'looking' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 'x' } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'json', value: { hits: 3 } } },
      { type: 'tool-result', toolCallId: 'c2', toolName: 'search', output: { type: 'error-text', value: 'no' } },
    ],
  },
];

describe('a conversation', () => {
  it.each(versions)('that has the form of %s already is handed over as it is', (version) => {
    const prompt = toPrompt(common, version);
    expect(prompt).toEqual(common);
    expect(prompt.every((message, index) => message === common[index])).toBe(true);
  });

  it.each(versions)('with plain texts gets parts for %s', (version) => {
    const messages: readonly ModelMessage[] = [
      { role: 'user', content: 'a', providerOptions: { p: { x: 1 } } },
      { role: 'assistant', content: 'b' },
    ];
    expect(toPrompt(messages, version)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }], providerOptions: { p: { x: 1 } } },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    ]);
  });

  it.each(versions)(
    'has an object where a model wrote arguments that are none, which providers of %s refuse',
    (version) => {
      const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'search' } as const;
      const inputs = [['nails'], null, 7, true, 'a patch', { q: 'x' }];
      const messages: readonly ModelMessage[] = [
        { role: 'assistant', content: inputs.map((input) => ({ ...call, input })) },
      ];
      const usable = [{}, {}, {}, {}, 'a patch', { q: 'x' }];
      const content = usable.map((input) => ({ ...call, input }));
      expect(toPrompt(messages, version)).toEqual([{ role: 'assistant', content }]);
    },
  );

  it('has files in the form of the version', () => {
    const messages: readonly ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data, filename: 'a.png' },
          { type: 'file', mediaType: 'image/png', data: address },
        ],
      },
    ];
    const [first, second] = [
      { type: 'file', mediaType: 'image/png', filename: 'a.png' },
      { type: 'file', mediaType: 'image/png' },
    ];
    for (const version of ['v2', 'v3'] as const) {
      expect(toPrompt(messages, version)[0]?.content).toEqual([
        { ...first, data: 'AAAA' },
        { ...second, data: url },
      ]);
    }
    expect(toPrompt(messages, 'v4')[0]?.content).toEqual([
      { ...first, data },
      { ...second, data: { type: 'url', url } },
    ]);
  });

  it('with a file that is nowhere is refused', () => {
    const messages: readonly ModelMessage[] = [
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: { type: 'url', url: 'nowhere' } }] },
    ];
    expect(() => toPrompt(messages, 'v3')).toThrow('has the URL "nowhere", which is none');
  });

  it('keeps what only v4 knows from the others', () => {
    const custom = { type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { itemId: 'i' } } } as const;
    const messages: readonly ModelMessage[] = [{ role: 'assistant', content: [custom, { type: 'text', text: 'x' }] }];
    expect(toPrompt(messages, 'v2')[0]?.content).toEqual([{ type: 'text', text: 'x' }]);
    expect(toPrompt(messages, 'v3')[0]?.content).toEqual([{ type: 'text', text: 'x' }]);
    expect(toPrompt(messages, 'v4')[0]).toEqual(messages[0]);
  });
});

describe('the result of a tool', () => {
  const shown = (output: ToolOutput): readonly unknown[] =>
    versions.map((version) => {
      const message: ModelMessage = {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output }],
      };
      const [prompt] = toPrompt([message], version) as readonly { content: { output: unknown }[] }[];
      return prompt?.content[0]?.output;
    });

  it('that was denied is an error to v2', () => {
    const denied = { type: 'execution-denied', reason: 'not today' } as const;
    expect(shown(denied)).toEqual([{ type: 'error-text', value: 'not today' }, denied, denied]);
    expect(shown({ type: 'execution-denied' })[0]).toEqual({ type: 'error-text', value: 'The call was denied.' });
  });

  it('that has files has them in the form of the version', () => {
    const text = { type: 'text', text: 'see' } as const;
    const image = { type: 'file', mediaType: 'image/png', data } as const;
    const report = { type: 'file', mediaType: 'text/csv', data, filename: 'a.csv' } as const;
    const there = { type: 'file', mediaType: 'text/csv', data: address } as const;
    expect(shown({ type: 'content', value: [text, image, report, there] })).toEqual([
      {
        type: 'content',
        value: [
          text,
          { type: 'media', data: 'AAAA', mediaType: 'image/png' },
          { type: 'media', data: 'AAAA', mediaType: 'text/csv' },
          { type: 'text', text: address.url },
        ],
      },
      {
        type: 'content',
        value: [
          text,
          { type: 'image-data', data: 'AAAA', mediaType: 'image/png' },
          { type: 'file-data', data: 'AAAA', mediaType: 'text/csv', filename: 'a.csv' },
          { type: 'file-url', url: address.url, mediaType: 'text/csv' },
        ],
      },
      { type: 'content', value: [text, image, report, { ...there, data: { type: 'url', url } }] },
    ]);
  });
});

describe('a conversation that grows', () => {
  const next = (index: number): ModelMessage => ({ role: 'user', content: `message ${index}` });

  it('is converted only where it is new, and every call keeps its own list', () => {
    const known: KnownPrompts = {};
    const messages = [next(0), next(1)];
    const first = toPrompt(messages, 'v3', known);
    messages.push(next(2));
    const second = toPrompt(messages, 'v3', known);
    expect(first).toHaveLength(2);
    expect(second).toHaveLength(3);
    expect(second[0]).toBe(first[0]);
    expect(toPrompt(messages, 'v2', known)[0]).not.toBe(first[0]);
  });

  it('is not copied any more once it is long', () => {
    const known: KnownPrompts = {};
    const messages = Array.from({ length: 2000 }, (_, index) => next(index));
    const prompt = toPrompt(messages, 'v3', known);
    messages.push(next(2000));
    expect(toPrompt(messages, 'v3', known)).toBe(prompt);
    expect(prompt).toHaveLength(2001);
  });

  it('is converted anew when it was cut or replaced', () => {
    const known: KnownPrompts = {};
    const messages = [next(0), next(1), next(2)];
    toPrompt(messages, 'v3', known);
    messages.splice(0, 2);
    expect(toPrompt(messages, 'v3', known)).toEqual([{ role: 'user', content: [{ type: 'text', text: 'message 2' }] }]);
    messages[0] = next(7);
    messages.push(next(8));
    expect(toPrompt(messages, 'v3', known).map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'message 7' }],
      [{ type: 'text', text: 'message 8' }],
    ]);
  });

  it('is converted as a whole when another one was asked about in between', () => {
    const known: KnownPrompts = {};
    const messages = [next(0)];
    const [first] = toPrompt(messages, 'v3', known);
    toPrompt([next(5)], 'v3', known);
    messages.push(next(1));
    const prompt = toPrompt(messages, 'v3', known);
    expect(prompt).toHaveLength(2);
    expect(prompt[0]).toEqual(first);
    expect(prompt[0]).not.toBe(first);
  });
});
