import type { Category, Outcome } from '../../termination/ending.js';
import { isObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { builtIns } from '../../termination/registry.js';
import { validate } from '../../termination/validate.js';
import type { Resumable, StoredEnvelope } from '../port/envelope.js';
import type { TokenUsage } from '../port/usage.js';
import { listOf, Misfit, optional, type Reader, record, seenFrom } from './reader.js';
import { amount, anyText, flag, instant, json, label, name, oneOf, whole } from './readers.js';

const outcome: Reader<Outcome> = oneOf('succeeded', 'skipped', 'paused', 'cancelled', 'failed');
const category: Reader<Category> = oneOf('success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal');

const ofAnyKind = record<{ readonly kind: string }>({ kind: name }, 'ignored');

/** A termination of any kind; one of ours must be what its row says. Kinds of others are for those to judge. */
export const termination: Reader<AnyTermination> = {
  expected: 'a termination',
  read(value, path, trusted) {
    const { kind } = ofAnyKind.read(value, path);
    // Ours were made by their constructors.
    if (trusted === true) return value as AnyTermination;
    const [issue] = validate(value, { registry: builtIns, unknownFields: 'keep', unknownKinds: 'keep' });
    if (issue !== undefined)
      throw new Misfit(path, value, `a termination ${JSON.stringify(kind)}, but ${issue.path}: ${issue.message}`);
    return value as AnyTermination;
  },
};

/** Null where a price is not known. */
const price: Reader<number | null> = {
  expected: 'a number of 0 or more, or null',
  read: (value, path) => (value === null ? null : amount.read(value, path)),
};

const usage: Reader<TokenUsage> = record<TokenUsage>(
  { inputTokens: amount, outputTokens: amount, totalTokens: amount },
  'ignored',
);

/** An ending as the journal holds it. */
export const envelope: Reader<StoredEnvelope> = record<StoredEnvelope>(
  {
    schemaVersion: {
      expected: '1',
      read(value, path) {
        if (value === 1) return value;
        throw new Misfit(path, value, '1');
      },
    },
    runId: name,
    segment: whole,
    name: label,
    termination,
    also: listOf(termination),
    outcome,
    category,
    family: oneOf('completion', 'limit', 'detector', 'human', 'validation', 'external', 'error', 'extension'),
    open: flag,
    tag: anyText,
    summary: anyText,
    nextAction: anyText,
    resumable: record<Resumable>(
      { how: oneOf('answer', 'raise_limit', 'resume', 'no'), reason: optional(anyText) },
      'ignored',
    ),
    output: optional(json),
    retryAfterMs: optional(amount),
    usage,
    costUsd: price,
    estimated: optional(flag),
    durationMs: amount,
    endedAt: instant,
  },
  'ignored',
);

/**
 * Reads the parts of our own ending that engines keep beside it: the rest is JSON that was made by the function which makes all
 * envelopes. Written out, because every run passes here.
 */
export function checkEnding(value: unknown, path: string): void {
  if (!isObject(value)) throw new Misfit(path, value, envelope.expected);
  try {
    name.read(value['runId'], 'runId');
    whole.read(value['segment'], 'segment');
    label.read(value['name'], 'name');
    termination.read(value['termination'], 'termination', true);
    outcome.read(value['outcome'], 'outcome');
    category.read(value['category'], 'category');
    flag.read(value['open'], 'open');
    anyText.read(value['summary'], 'summary');
    usage.read(value['usage'], 'usage', true);
    price.read(value['costUsd'], 'costUsd');
    amount.read(value['durationMs'], 'durationMs');
    instant.read(value['endedAt'], 'endedAt');
    if (value['estimated'] !== undefined) flag.read(value['estimated'], 'estimated');
  } catch (error) {
    throw seenFrom(path, error);
  }
}
