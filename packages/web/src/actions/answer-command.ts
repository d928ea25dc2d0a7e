import type { RequestRow } from '../api/contract.js';
import { commandText } from './command-text.js';

/** The command that answers a request, with the first choice or a word to put in. */
export function answerCommand({ runId, id, type, choices }: RequestRow): string {
  const [first] = choices;
  const words = ['answer', runId, id];
  if (first !== undefined) return commandText(words, { choose: first.value });
  if (type === 'client_tool') return commandText(words, { valueJson: 'JSON' });
  return type === 'input' ? commandText(words, { value: 'TEXT' }) : commandText(words, { approve: true });
}
