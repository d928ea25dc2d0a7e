import { ambiguousWord } from './ambiguous-word.js';
import { type Dialect, defineDialect, type ForeignWord } from './dialect.js';
import { type GeneralWords, generalWord } from './general-word.js';
import { word } from './word.js';

const words: readonly ForeignWord[] = [
  word('end_turn', 'natural_end'),
  ambiguousWord(
    'max_tokens',
    ['output_truncated', 'token_budget'],
    'Whether the answer was cut off or the tokens of the whole turn were used up is not said.',
  ),
  word('max_turn_requests', 'max_iterations', { note: 'The limit on model requests within one turn of the user.' }),
  word('refusal', 'agent_refused', { note: 'Clients drop the prompt and all that followed it.' }),
  word('cancelled', 'cancelled', { implied: { by: 'caller' }, note: 'Must be the answer to session/cancel.' }),
];

/** Failures are answered with a JSON-RPC error there and questions asked within the turn, so neither has a word. */
const general: GeneralWords<string | null> = {
  byCategory: {
    success: 'end_turn',
    paused: null,
    cancelled: 'cancelled',
    capacity: 'max_turn_requests',
    retryable: null,
    fatal: null,
  },
  byKind: {
    token_budget: 'max_tokens',
    cost_budget: 'max_tokens',
    prompt_too_long: 'max_tokens',
    output_truncated: 'max_tokens',
  },
  unknown: null,
};

/** The stopReason with which the Agent Client Protocol ends a prompt turn. */
export const acp: Dialect<string> = defineDialect<string>({
  name: 'acp',
  title: 'ACP',
  words,
  split: (value) => (typeof value === 'string' ? { word: value, payload: {} } : undefined),
  join: (name) => name,
  otherwise: (termination, registry) => generalWord(termination, registry, general),
});
