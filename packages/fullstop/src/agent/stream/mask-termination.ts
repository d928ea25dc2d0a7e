import type { Ending } from '../../termination/ending.js';
import { isObject } from '../../termination/json.js';
import { builtIns } from '../../termination/registry.js';

/** Texts in the evidence of our kinds that are names or words of ours; every other text may come from anywhere. */
const ownWords: ReadonlySet<string> = new Set([
  'agentId',
  'because',
  'by',
  'category',
  'check',
  'class',
  'deadline',
  'errorClass',
  'finishReason',
  'gateId',
  'kind',
  'lastSeenAt',
  'name',
  'origin',
  'plugin',
  'problem',
  'provider',
  'resource',
  'scope',
  'status',
  'tag',
  'tool',
  'type',
  'unit',
]);

/** Requests are meant for whoever answers them. */
const forPeople: ReadonlySet<string> = new Set(['requests', 'gates', 'approvalRefs']);

/** Values that somebody else wrote: the evidence can do without them. */
const foreign: ReadonlySet<string> = new Set([
  'data',
  'deliverable',
  'errors',
  'input',
  'properties',
  'requestId',
  'stack',
  'url',
  'worker',
]);

/**
 * The ending without anything that a provider, a tool, an error or a person wrote: kind, numbers and our own words stay. The
 * evidence of kinds that are not ours is left out, because nobody here knows what it holds.
 */
export function maskTermination(termination: Ending): Ending {
  if (builtIns.find(termination.kind) === undefined) return { kind: termination.kind } as Ending;
  return maskMembers(termination) as unknown as Ending;
}

function maskMembers(value: object): Readonly<Record<string, unknown>> {
  const masked: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) if (!foreign.has(key)) masked[key] = maskValue(key, inner, value);
  return masked;
}

function maskValue(key: string, value: unknown, owner: object): unknown {
  if (forPeople.has(key)) return value;
  // The causes of an error are errors too.
  if (key === 'error' || key === 'lastError') return maskError(value);
  if (key === 'cause' || key === 'termination') return maskCause(value);
  if (key === 'output' || key === 'received' || key === 'snapshot') return null;
  if (typeof value === 'string') return ownWords.has(key) || isOwnReason(key, owner) ? value : '';
  if (Array.isArray(value)) return value.map((each) => (isObject(each) ? maskMembers(each) : maskItem(each)));
  return isObject(value) ? maskMembers(value) : value;
}

function maskItem(value: unknown): unknown {
  return typeof value === 'string' ? '' : value;
}

/** The reason of an answer that was cut off is a word of ours. */
function isOwnReason(key: string, owner: object): boolean {
  return key === 'reason' && (owner as Partial<Ending>).kind === 'output_truncated';
}

function maskCause(value: unknown): unknown {
  return isObject(value) && typeof value['kind'] === 'string' ? maskTermination(value as unknown as Ending) : null;
}

/** An error as it may be shown to anyone: that there was one. */
function maskError(_error: unknown): object {
  return { name: 'Error', message: '' };
}
