import { isObject } from '../../termination/json.js';
import type { AssistantPart } from '../message.js';

/** On the text of an answer that was an object before it became text. */
export const structuredMark: { fullstop: { structured: true } } = { fullstop: { structured: true } };

/** Whether a model returned an object, and not words that happen to be JSON. */
export function isStructuredAnswer(content: readonly AssistantPart[]): boolean {
  return content.some(({ type, providerOptions }) => {
    const mark = providerOptions?.['fullstop'];
    return type === 'text' && isObject(mark) && mark['structured'] === true;
  });
}
