import { sameJson } from '../../engines/port/same-json.js';
import { frozen } from '../../run/frozen.js';
import type { Fact, Proposal } from '../facts/fact.js';
import { makeFactRef } from '../facts/fact-ref.js';
import { contentText } from '../facts/leaf.js';
import { sha256, toHex } from '../facts/sha256.js';
import type { FactFamily } from '../options/family.js';
import type { Queued } from './state.js';

const idLength = 16;

/** The fact that a proposal would be as the next one of a cycle. */
export function factOf(
  queued: Queued,
  family: FactFamily,
  place: { readonly cycle: number; readonly clock: number },
): Fact {
  const { proposal, by, approval } = queued;
  const { key, payload, subject, because } = proposal;
  const id = proposal.id ?? derivedId(proposal, family);
  const fact: { -readonly [K in keyof Fact]: Fact[K] } = {
    ref: makeFactRef(key, id),
    key,
    id,
    family: family.name,
    version: family.version,
    payload: frozen(payload),
    confidence: proposal.confidence ?? 1,
    provenance: proposal.provenance ?? by,
    by,
    cycle: place.cycle,
    clock: place.clock,
  };
  if (subject !== undefined) fact.subject = subject;
  if (because !== undefined) fact.because = frozen(because);
  if (approval !== undefined) fact.approval = frozen(approval);
  return Object.freeze(fact);
}

/** Names content by itself, so that the same content proposed again is the same fact. */
function derivedId({ subject, payload }: Proposal, { name, version }: FactFamily): string {
  const text = JSON.stringify([name, version, subject ?? null]) + contentText(payload);
  return toHex(sha256(text)).slice(0, idLength);
}

/** True when two facts say the same about the same, whoever proposed them. */
export function sameContent(left: ContentOf, right: ContentOf): boolean {
  return (
    left.family === right.family &&
    left.version === right.version &&
    left.subject === right.subject &&
    sameJson(left.payload, right.payload)
  );
}

type ContentOf = Pick<Fact, 'family' | 'version' | 'subject' | 'payload'>;

/** The content as a text, for contents that people have rejected. */
export function contentKey({ family, version, subject, payload }: ContentOf): string {
  return `${JSON.stringify([family, version, subject ?? null])}${contentText(payload)}`;
}
