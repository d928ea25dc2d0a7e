import type { AnsweredCall } from '../servers/reply.js';
import { type Behaviour, done, natural, pixel } from './behaviour.js';

const search: AnsweredCall = { id: 'c1', name: 'search', arguments: '{"q":"nails"}' };
const second: AnsweredCall = { id: 'c2', name: 'search', arguments: '{"q":"screws"}' };
const readsArguments = 'Anthropic reads the arguments itself, so that a whole answer has none that cannot be read';

const onlyResponses = 'only the responses of OpenAI can be asked not to keep what was said';

/** Calls of tools. The servers refuse a conversation in which calls and results do not fit, so that the second request is a test of its own. */
export const calls: readonly Behaviour[] = [
  {
    name: 'a call',
    replies: [{ text: 'Let me look.', toolCalls: [search] }, done],
    ending: natural,
    requests: 2,
    result: { toolCalls: [{ id: 'c1', output: { type: 'text', value: 'found nails' } }] },
  },
  {
    name: 'two calls at once',
    replies: [{ toolCalls: [search, second] }, done],
    ending: natural,
    requests: 2,
    result: { toolCalls: [{ output: { value: 'found nails' } }, { output: { value: 'found screws' } }] },
  },
  {
    name: 'two calls with the same id',
    replies: [{ toolCalls: [search, { ...second, id: 'c1' }] }, done],
    ending: natural,
    requests: 2,
    result: { toolCalls: [{ output: { value: 'found nails' } }, { output: { value: 'found screws' } }] },
  },
  {
    name: 'a call whose arguments are no JSON',
    replies: [{ toolCalls: [{ ...search, arguments: '{"q": "nai' }] }, done],
    ending: natural,
    requests: 2,
    result: { toolCalls: [{ id: 'c1', output: { type: 'error-text' } }] },
    cells: { 'anthropic whole': readsArguments },
  },
  {
    name: 'a call whose arguments are no object',
    replies: [{ toolCalls: [{ ...search, arguments: '["nails"]' }] }, done],
    ending: natural,
    requests: 2,
    result: { toolCalls: [{ id: 'c1', output: { type: 'error-text' } }] },
  },
  {
    name: 'a call with wrong arguments',
    replies: [{ toolCalls: [{ ...search, arguments: '{"query":"nails"}' }] }, done],
    ending: natural,
    requests: 2,
    result: { toolCalls: [{ id: 'c1', output: { type: 'error-text' } }] },
  },
  {
    name: 'a call of a tool that is not there',
    replies: [{ toolCalls: [{ ...search, name: 'find' }] }, done],
    ending: natural,
    requests: 2,
    result: { toolCalls: [{ id: 'c1', output: { type: 'error-text' } }] },
  },
  {
    name: 'a good call beside one of a tool that is not there',
    replies: [{ toolCalls: [{ ...search, name: 'find' }, second] }, done],
    ending: natural,
    requests: 2,
    result: { toolCalls: [{ output: { type: 'error-text' } }, { output: { value: 'found screws' } }] },
  },
  {
    name: 'a call that is cut at the length of the answer',
    replies: [{ toolCalls: [{ ...search, arguments: '{"q": "nai' }], finish: 'length' }],
    ending: { kind: 'output_truncated', reason: 'length' },
    requests: 1,
  },
  {
    name: 'calls that are announced and not made, then an answer',
    replies: [{ finish: 'tool_calls' }, done],
    ending: natural,
    requests: 2,
    cells: {
      'openai responses': { because: 'it announces nothing: to it the answer is empty' },
    },
  },
  {
    name: 'a call with thoughts before it',
    replies: [{ reasoning: 'I need to look.', signature: 'sig_1', toolCalls: [search] }, done],
    ending: natural,
    requests: 2,
    result: {
      messages: [{}, { role: 'assistant', content: [{ type: 'reasoning', text: 'I need to look.' }, {}] }, {}, {}],
    },
    cells: {
      'openai chat': {
        result: { toolCalls: [{ id: 'c1' }] },
        because: 'its chat completions show no thoughts',
      },
      'openai responses': {
        wire: { input: [{ role: 'user' }, { type: 'item_reference', id: 'rs_1' }, { call_id: 'c1' }, {}] },
      },
      'openai-compatible': {
        wire: { messages: [{}, { role: 'assistant', reasoning_content: 'I need to look.' }, {}] },
      },
      anthropic: {
        wire: {
          messages: [
            {},
            {
              role: 'assistant',
              content: [{ type: 'thinking', thinking: 'I need to look.', signature: 'sig_1' }, { type: 'tool_use' }],
            },
            {},
          ],
        },
      },
    },
  },
  {
    name: 'a call with thoughts that the provider does not keep',
    settings: { providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } } },
    replies: [{ reasoning: 'I need to look.', signature: 'sig_1', toolCalls: [search] }, done],
    ending: natural,
    requests: 2,
    wire: {
      input: [
        { role: 'user' },
        { type: 'reasoning', encrypted_content: 'sig_1', summary: [{ text: 'I need to look.' }] },
        { call_id: 'c1' },
        {},
      ],
    },
    cells: {
      'openai chat': onlyResponses,
      'openai-compatible': onlyResponses,
      anthropic: onlyResponses,
    },
  },
  {
    name: 'an image as the result of a call',
    replies: [{ toolCalls: [{ id: 'c1', name: 'photo', arguments: '{}' }] }, done],
    ending: natural,
    requests: 2,
    wire: { messages: [{}, {}, { role: 'tool', tool_call_id: 'c1' }] },
    cells: {
      'openai responses': {
        wire: {
          input: [
            {},
            {},
            {
              type: 'function_call_output',
              output: [
                { type: 'input_text', text: 'a photo' },
                { type: 'input_image', image_url: `data:image/png;base64,${pixel}` },
              ],
            },
          ],
        },
      },
      anthropic: {
        wire: {
          messages: [
            {},
            {},
            {
              content: [
                {
                  type: 'tool_result',
                  content: [
                    { type: 'text', text: 'a photo' },
                    { type: 'image', source: { data: pixel } },
                  ],
                },
              ],
            },
          ],
        },
      },
    },
  },
];
