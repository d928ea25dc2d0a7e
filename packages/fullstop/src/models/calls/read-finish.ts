import { isObject } from '../../termination/json.js';
import type { ModelFinish } from '../model-response.js';

const finishes: ReadonlyMap<unknown, ModelFinish> = new Map<string, ModelFinish>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['tool-calls', 'tool_calls'],
  ['error', 'error'],
  ['other', 'other'],
  ['unknown', 'other'],
  ['interrupted', 'interrupted'],
]);

export interface FinishRead {
  readonly finish: ModelFinish;
  readonly rawFinish?: string;
}

/** The finish reason of any version: a word (v2), or a word with the provider's own beside it (v3, v4). */
export function readFinish(reason: unknown): FinishRead {
  if (!isObject(reason)) return { finish: finishes.get(reason) ?? 'other' };
  const raw = reason['raw'];
  const finish = finishes.get(reason['unified']) ?? 'other';
  // A filter has a word of its own; a client that says so without one has read a refusal elsewhere in the answer.
  if (finish === 'content_filter' && (raw === undefined || raw === 'stop')) return { finish, rawFinish: 'refusal' };
  return typeof raw === 'string' ? { finish, rawFinish: raw } : { finish };
}
