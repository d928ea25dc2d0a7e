import { property, textOf } from '../core/thrown-cause.js';

/**
 * The provider's word for why an answer ended, in its own data: a response of either API of OpenAI, or an event of one that
 * streams. The SDK itself passes on none.
 */
export function finishIn(data: unknown): string | undefined {
  const [choice] = listOf(property(data, 'choices'));
  const details = property(property(data, 'response') ?? data, 'incomplete_details');
  return textOf(property(choice, 'finish_reason')) ?? textOf(property(details, 'reason'));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
