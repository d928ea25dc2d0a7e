import { describe, expect, it } from 'vitest';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { parseScript } from './parse-script.js';

const script = {
  answers: {
    planner: [
      { text: 'Here is the plan' },
      { output: { score: 7, ready: true } },
      {
        toolCalls: [{ tool: 'search', input: { q: 'x' } }],
        usage: { inputTokens: 900, outputTokens: 40 },
        delay: '250ms',
      },
      { error: { status: 429, retryAfter: '2s' } },
      { error: 'stream_cut' },
    ],
    '*': [{ text: '' }],
  },
  exhausted: 'error',
};

const complaints = (value: unknown): readonly string[] => {
  try {
    parseScript(value);
    return [];
  } catch (error) {
    if (!FullstopError.is(error)) throw error;
    expect(error.code).toBe('INVALID_SCRIPT');
    return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
};

describe('a script', () => {
  it('is read from a value or from JSON text', () => {
    expect(parseScript(script)).toEqual(script);
    expect(parseScript(JSON.stringify(script))).toEqual(script);
  });

  it('in YAML has to be parsed first', () => {
    expect(() => parseScript('answers: x')).toThrow(/must be JSON: .* Parse YAML first/);
  });

  it.each([
    [undefined, [': expected an object, found nothing']],
    [[], [': expected an object, found a list']],
    [{}, ['answers: missing, expected lists of answers by who asks']],
    [{ answers: [] }, ['answers: expected lists of answers by who asks, found a list']],
    [{ answers: {}, exhausted: 'loop' }, ['exhausted: expected one of error, repeat-last, found "loop"']],
    [{ answers: { a: [] } }, ['answers.a: is empty: expected at least one answer']],
    [{ answers: { a: { text: 'x' } } }, ['answers.a: expected a list, found an object']],
    [{ answers: { a: ['x'] } }, ['answers.a[0]: expected an object, found "x"']],
    [
      { answers: { a: [{ text: 'x' }, { delay: '1s' }] } },
      [
        'answers.a[1]: says nothing: expected one of text, output, outputText, reasoning, toolCalls, content, error, finish',
      ],
    ],
    [{ answers: { a: [{ text: 'x', output: 1 }] } }, ['answers.a[0]: has both text and output; an output is the text']],
    [
      { answers: { a: [{ output: 1, outputText: '1.0' }] } },
      ['answers.a[0]: has both output and outputText; an output is the text'],
    ],
    [{ answers: { a: [{ outputText: 1 }] } }, ['answers.a[0].outputText: expected JSON text, found 1']],
    [
      { answers: { a: [{ toolCalls: [{ input: {} }] }] } },
      ['answers.a[0].toolCalls[0].tool: missing, expected a string'],
    ],
    [{ answers: { a: [{ output: () => 1 }] } }, ['answers.a[0].output: expected a JSON value, found a function']],
    [
      { answers: { a: [{ text: 'x', usage: { inputTokens: -1 } }] } },
      ['answers.a[0].usage.inputTokens: expected a whole number of 0 or more, found -1'],
    ],
    [
      { answers: { a: [{ text: 'x', delay: 250 }] } },
      ['answers.a[0].delay: expected a duration such as 250ms, 2s, 5m or 1h, found 250'],
    ],
    [
      { answers: { a: [{ error: { status: 42, retryAfter: '2 weeks' } }] } },
      [
        'answers.a[0].error.status: expected an HTTP status from 100 to 599, found 42',
        'answers.a[0].error.retryAfter: expected a duration such as 250ms, 2s, 5m or 1h, found "2 weeks"',
      ],
    ],
    [
      { answers: { a: [{ content: [{ type: 'file', mediaType: 'image/png', data: 'AAAA' }] }] } },
      ['answers.a[0].content[0].data: expected an object whose type is one of data, url, found "AAAA"'],
    ],
    [
      { answers: { a: [{ content: [{ type: 'source', sourceType: 'url', id: 's' }, { type: 'tool-result' }] }] } },
      [
        'answers.a[0].content[0].url: missing, expected a string',
        'answers.a[0].content[1].tool: missing, expected a string',
        'answers.a[0].content[1].id: missing, expected a string',
        'answers.a[0].content[1].result: missing, expected a JSON value',
      ],
    ],
    [
      { answers: { a: [{ content: [], reasoning: 'x' }] } },
      ['answers.a[0]: has both content and reasoning; content is the whole answer'],
    ],
  ])('that is wrong says what and where: %j', (value, expected) => {
    expect(complaints(value)).toEqual(expected);
  });

  it.each([
    [{ answers: { a: [{ error: 'context_lenght' }] } }, /^answers\.a\[0\]\.error: .*"context_length"/],
    [{ answers: {}, exhaused: 'error' }, /^exhaused: unknown field.*"exhausted"/],
    [{ answers: { a: [{ text: 'x', toolCall: [] }] } }, /^answers\.a\[0\]\.toolCall: unknown field.*"toolCalls"/],
    [{ answers: { a: [{ content: [{ type: 'sorce' }] }] } }, /^answers\.a\[0\]\.content\[0\]\.type: .*"source"/],
  ])('suggests what was meant: %j', (value, expected) => {
    expect(complaints(value)).toEqual([expect.stringMatching(expected)]);
  });

  it('lists everything in the message', () => {
    expect(() => parseScript({ answers: { a: [{ txt: 'x' }] } })).toThrow(
      /^This is not a script for a model:\nanswers\.a\[0\]\.txt: unknown field.*\nanswers\.a\[0\]: says nothing: expected one of/,
    );
  });

  it('with a cycle is refused, not followed', () => {
    const round: { self?: unknown } = {};
    round.self = round;
    expect(complaints({ answers: { a: [{ output: round }] } })[0]).toContain(
      'answers.a[0].output: expected a JSON value:',
    );
  });
});
