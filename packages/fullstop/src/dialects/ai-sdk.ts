import { ambiguousWord } from './ambiguous-word.js';
import { type Dialect, defineDialect, type ForeignWord } from './dialect.js';
import { type GeneralWords, generalWord } from './general-word.js';
import { word } from './word.js';

const words: readonly ForeignWord[] = [
  word('stop', 'natural_end'),
  word('length', 'output_truncated', { implied: { reason: 'length' } }),
  word('content-filter', 'agent_refused', {
    note: 'Some providers report a refusal of the model itself with this word, so who refused is not said.',
  }),
  ambiguousWord(
    'tool-calls',
    ['max_iterations', 'tool_called', 'interaction_pending', 'custom'],
    'The last step asked for tools: the step limit, a tool that ends the loop, an approval or a tool of the client, or another stop condition.',
  ),
  word('error', 'provider_failed', { note: 'The model call failed; failing tools never end a run there.' }),
  word('other', 'indeterminate', { implied: { candidates: [] } }),
  word('unknown', 'indeterminate', {
    implied: { candidates: [] },
    canonical: 'other',
    note: 'Version 5 only; later versions say other.',
  }),
  word('interrupted', 'provider_failed', {
    canonical: 'error',
    note: 'Version 7 only: the stream broke off. It is not written, since clients of version 6 refuse the word.',
  }),
];

const general: GeneralWords<string> = {
  byCategory: {
    success: 'stop',
    paused: 'tool-calls',
    cancelled: 'other',
    // Limits and detectors are stop conditions there, which are asked after a step with tool calls only.
    capacity: 'tool-calls',
    retryable: 'error',
    fatal: 'error',
  },
  byKind: {
    tool_called: 'tool-calls',
    prompt_too_long: 'length',
    structured_output_exhausted: 'error',
    post_validation_failed: 'error',
  },
  unknown: 'other',
};

/** The AI SDK's FinishReason: one string for the last model call, in the words that versions 5 to 7 share. */
export const aiSdk: Dialect<string> = defineDialect<string>({
  name: 'ai-sdk',
  title: 'AI SDK',
  words,
  split: (value) => (typeof value === 'string' ? { word: value, payload: {} } : undefined),
  join: (name) => name,
  otherwise: (termination, registry) => generalWord(termination, registry, general),
});
