import type { AnyTermination } from '../../termination/kinds.js';
import { builtIns } from '../../termination/registry.js';
import { validate } from '../../termination/validate.js';
import type { Resumable, StoredEnvelope } from '../port/envelope.js';
import type { TokenUsage } from '../port/usage.js';
import { listOf, Misfit, optional, type Reader, record } from './reader.js';
import { amount, anyText, flag, instant, json, label, name, oneOf, whole } from './readers.js';

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
    outcome: oneOf('succeeded', 'skipped', 'paused', 'cancelled', 'failed'),
    category: oneOf('success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal'),
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
    usage: record<TokenUsage>({ inputTokens: amount, outputTokens: amount, totalTokens: amount }, 'ignored'),
    costUsd: price,
    estimated: optional(flag),
    durationMs: amount,
    endedAt: instant,
  },
  'ignored',
);
