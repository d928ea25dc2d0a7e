import type { Envelope, Resumable, StoredEnvelope } from '../../engines/port/envelope.js';
import type { TokenUsage } from '../../engines/port/usage.js';
import type { Category, Ending, Outcome } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { builtIns, type RegisteredKind } from '../../termination/registry.js';
import { rootCause, waitsForAnswers } from '../../termination/root-cause.js';
import { tagOf } from '../../termination/tag-of.js';
import { terminations } from '../../termination/terminations.js';
import type { UnitResult } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import type { RunSettings } from '../settings.js';

/** The parts of an envelope besides the result of its segment. */
interface SegmentFacts {
  readonly runId: string;
  readonly name: string;
  readonly segment: number;
  readonly settings: Pick<RunSettings, 'customTags' | 'registry' | 'treatAsSuccess'>;
  readonly account: { readonly usage: TokenUsage; readonly costUsd: number | null; readonly estimated: boolean };
  readonly durationMs: number;
  readonly endedAt: number;
}

/** The envelope of a sound ending of an execution, as it is to be kept. Never throws. */
export function envelopeOf(execution: Execution, result: UnitResult): StoredEnvelope {
  const { session, settings, root, active, journal } = execution;
  const { identity, segment } = session;
  const { runId, name } = identity;
  const account = root.ledger;
  return makeEnvelope(
    { runId, name, segment, settings, account, durationMs: active.ms(), endedAt: journal.now() },
    result,
  );
}

export interface UnreachableRun {
  readonly runId: string;
  readonly name: string;
  readonly segment: number;
  readonly endedAt: number;
  readonly error: unknown;
}

/** The envelope for the caller of a run when the store cannot say how the run continues: it may still reach an ending. */
export function unreachableEnvelope({ error, ...place }: UnreachableRun): Envelope {
  const termination = terminations.failed({ error: toErrorData(error), origin: 'engine', errorClass: 'resource' });
  const settings = { customTags: [], registry: builtIns, treatAsSuccess: () => false };
  const account = { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, costUsd: null, estimated: false };
  const facts = { ...place, settings, account, durationMs: 0 };
  return { ...makeEnvelope(facts, { termination, also: [] }), persisted: false };
}

/** Joins a sound ending with everything that follows from it. */
function makeEnvelope(facts: SegmentFacts, { termination, also, output, notResumable }: UnitResult): StoredEnvelope {
  const { runId, name, segment, settings, account, durationMs, endedAt } = facts;
  const { customTags, registry } = settings;
  const kind = registry.get(termination.kind);
  const category: Category = attempt(() => kind.category(termination), 'fatal');
  const open = attempt(() => kind.open(termination), true);
  const retryAfterMs = retryAfterOf(termination);
  return {
    schemaVersion: 1,
    runId,
    segment,
    name,
    termination,
    also,
    outcome: outcomeOf(kind, termination, settings),
    category,
    family: kind.family,
    open,
    tag: tagOf(termination, { customTags, registry }),
    summary: attempt(() => kind.describe(termination), `Ended as ${termination.kind}.`),
    nextAction: attempt(() => kind.nextAction(termination), 'Look at the termination.'),
    resumable: resumableOf(termination, { category, open, notResumable }),
    ...(output !== undefined && { output }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    usage: account.usage,
    costUsd: account.costUsd,
    ...(account.estimated && { estimated: true }),
    durationMs,
    endedAt,
  };
}

function outcomeOf(
  kind: RegisteredKind,
  termination: AnyTermination,
  { treatAsSuccess }: SegmentFacts['settings'],
): Outcome {
  const asSuccess = attempt(() => treatAsSuccess(termination), false);
  // A promise would be taken for a yes.
  return asSuccess === true ? 'succeeded' : attempt(() => kind.outcome(termination), 'failed');
}

interface ResumeFacts {
  readonly category: Category;
  readonly open: boolean;
  readonly notResumable: string | undefined;
}

function resumableOf(termination: Ending, { category, open, notResumable }: ResumeFacts): Resumable {
  if (!open) return { how: 'no', reason: 'the ending is final' };
  if (notResumable !== undefined) return { how: 'no', reason: notResumable };
  // What a verdict holds is held for a person, but nothing is asked that could be answered.
  if (category === 'paused' && waitsForAnswers(termination)) return { how: 'answer' };
  return category === 'capacity' ? { how: 'raise_limit' } : { how: 'resume' };
}

function retryAfterOf(termination: AnyTermination): number | undefined {
  const cause = rootCause(termination);
  return cause.kind === 'provider_failed' ? cause.retryAfterMs : undefined;
}

/** A third party's definition may throw; an ending must come about all the same. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
