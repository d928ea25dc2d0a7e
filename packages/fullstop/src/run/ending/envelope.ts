import type { Resumable, StoredEnvelope } from '../../engines/port/envelope.js';
import type { Category, Outcome } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { RegisteredKind } from '../../termination/registry.js';
import { rootCause } from '../../termination/root-cause.js';
import { tagOf } from '../../termination/tag-of.js';
import type { UnitResult } from '../run-context.js';
import type { Execution } from '../segment/execution.js';

/** Puts a sound ending together with everything that follows from it, as it is to be kept. Never throws. */
export function makeEnvelope(execution: Execution, result: UnitResult): StoredEnvelope {
  const { session, settings, root } = execution;
  const { termination, also, output } = result;
  const kind = settings.registry.get(termination.kind);
  const category: Category = attempt(() => kind.category(termination), 'fatal');
  const open = attempt(() => kind.open(termination), true);
  const retryAfterMs = retryAfterOf(termination);
  return {
    schemaVersion: 1,
    runId: session.identity.runId,
    segment: session.segment,
    name: session.identity.name,
    termination,
    also,
    outcome: outcomeOf(kind, termination, execution),
    category,
    family: kind.family,
    open,
    tag: tagOf(termination, { customTags: settings.customTags, registry: settings.registry }),
    summary: attempt(() => kind.describe(termination), `Ended as ${termination.kind}.`),
    nextAction: attempt(() => kind.nextAction(termination), 'Look at the termination.'),
    resumable: resumableOf(category, open),
    ...(output !== undefined && { output }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    usage: root.ledger.usage,
    costUsd: root.ledger.costUsd,
    durationMs: execution.active.ms(),
    endedAt: execution.now(),
  };
}

function outcomeOf(kind: RegisteredKind, termination: AnyTermination, execution: Execution): Outcome {
  const asSuccess = attempt(() => execution.settings.treatAsSuccess(termination), false);
  // A promise would be taken for a yes.
  return asSuccess === true ? 'succeeded' : attempt(() => kind.outcome(termination), 'failed');
}

function resumableOf(category: Category, open: boolean): Resumable {
  if (!open) return { how: 'no', reason: 'the ending is final' };
  if (category === 'paused') return { how: 'answer' };
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
