import type { Answer } from '../servers/reply.js';
import { type Behaviour, done, image, natural, pixel } from './behaviour.js';

const wordless: Answer = { text: 'Fine.', finish: 'null' };

/** The answers that a model may give, and why it stopped. */
export const answers: readonly Behaviour[] = [
  {
    name: 'an answer',
    replies: [done],
    ending: natural,
    requests: 1,
    result: { text: 'All done.', usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17 } },
  },
  {
    name: 'an answer that is cut at its length',
    replies: [{ text: 'and then', finish: 'length' }],
    ending: { kind: 'output_truncated', reason: 'length' },
    requests: 1,
  },
  {
    name: 'an answer that a filter stopped',
    replies: [{ text: 'I would', finish: 'content_filter' }],
    ending: { kind: 'agent_refused', by: 'filter', reason: 'I would' },
    requests: 1,
    cells: {
      anthropic: {
        ending: { kind: 'agent_refused', by: 'model', reason: 'I would' },
        because: 'it has one word, refusal, for both',
      },
    },
  },
  {
    name: 'a refusal of the model',
    replies: [{ refusal: 'I will not do that.' }],
    ending: { kind: 'agent_refused', by: 'model', reason: 'I will not do that.' },
    requests: 1,
    cells: {
      'openai-compatible': {
        replies: [{ refusal: 'I will not do that.' }, { refusal: 'I will not do that.' }],
        ending: { kind: 'no_answer', attempts: 2 },
        requests: 2,
        because: 'this client does not read refusals',
      },
    },
  },
  {
    name: 'a word for the end that nobody knows',
    replies: [{ text: 'Fine.', finish: 'something_new' }],
    ending: { kind: 'natural_end', finishReason: 'something_new' },
    requests: 1,
    result: { text: 'Fine.' },
  },
  {
    name: 'no word for the end',
    replies: [wordless],
    ending: natural,
    requests: 1,
    result: { text: 'Fine.' },
    cells: {
      'openai-compatible streamed': {
        replies: [wordless, wordless, wordless],
        ending: { kind: 'provider_failed', attempts: 3 },
        requests: 3,
        result: {},
        because: 'to this client a stream without such a word was cut',
      },
    },
  },
  {
    name: 'an empty answer, then one with a text',
    replies: [{ text: '' }, done],
    ending: natural,
    requests: 2,
  },
  {
    name: 'empty answers',
    replies: [{ text: '' }, { text: '' }],
    ending: { kind: 'no_answer', attempts: 2 },
    requests: 2,
  },
  {
    name: 'an answer of blanks, then one with a text',
    replies: [{ text: ' \n ' }, done],
    ending: natural,
    requests: 2,
  },
  {
    name: 'an image in the prompt',
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }],
    replies: [done],
    ending: natural,
    requests: 1,
    wire: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'text' }, { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }],
        },
      ],
    },
    cells: {
      'openai responses': {
        wire: {
          input: [
            {
              role: 'user',
              content: [{ type: 'input_text' }, { type: 'input_image', image_url: `data:image/png;base64,${pixel}` }],
            },
          ],
        },
      },
      anthropic: {
        wire: {
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
              ],
            },
          ],
        },
      },
    },
  },
];
