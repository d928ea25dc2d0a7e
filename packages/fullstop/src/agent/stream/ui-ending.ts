import type { StoredEnvelope } from '../../engines/port/envelope.js';
import { describe, nextAction } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import type { PendingRequest } from '../../termination/kinds/human.js';
import { builtIns } from '../../termination/registry.js';
import { maskTermination } from './mask-termination.js';
import type { UIEnding, UIEndingData, UIFinishReason } from './ui-chunk.js';

/** The parts that an ending for a client is made of. */
export type EndedRun = Pick<
  StoredEnvelope,
  'runId' | 'segment' | 'category' | 'outcome' | 'tag' | 'summary' | 'nextAction' | 'retryAfterMs'
> & { readonly termination: Ending };

export interface UIEndingOptions {
  readonly ending: 'masked' | 'whole';
  readonly cursor: number;
}

/** The ending of a run for a client: by default without anything that was not written for it. */
export function uiEnding(run: EndedRun, { ending, cursor }: UIEndingOptions): UIEndingData {
  const { runId, segment, category, outcome, tag, retryAfterMs = null } = run;
  const isWhole = ending === 'whole';
  const termination = isWhole ? run.termination : maskTermination(run.termination);
  const words = isWhole ? run : wordsOf(termination, run);
  return {
    runId,
    segment,
    cursor,
    kind: termination.kind,
    category,
    outcome,
    tag,
    summary: words.summary,
    nextAction: words.nextAction,
    retryAfterMs,
    requests: requestsOf(run.termination),
    termination,
  };
}

/** The ending as it is in metadata: without evidence, which would be merged with that of another ending. */
export function metadataOf({ termination: _evidence, ...ending }: UIEndingData): UIEnding {
  return ending;
}

function wordsOf(masked: Ending, { category }: EndedRun): { readonly summary: string; readonly nextAction: string } {
  const { kind } = masked;
  if (builtIns.find(kind) !== undefined) return { summary: describe(masked), nextAction: nextAction(masked) };
  return { summary: `The run ended as ${kind} (${category}).`, nextAction: '' };
}

function requestsOf(termination: Ending): readonly PendingRequest[] {
  const { requests } = termination as { readonly requests?: readonly PendingRequest[] };
  return Array.isArray(requests) ? requests : [];
}

/** The nearest word of the AI SDK; the whole ending is beside it. */
export function finishReasonOf({ termination, category }: EndedRun): UIFinishReason {
  if (termination.kind === 'output_truncated') return 'length';
  if (termination.kind === 'agent_refused') return 'content-filter';
  if (category === 'success') return 'stop';
  if (category === 'paused') return 'tool-calls';
  return category === 'fatal' || category === 'retryable' ? 'error' : 'other';
}
