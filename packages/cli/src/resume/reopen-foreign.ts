import type { Envelope, JsonObject } from 'fullstop';
import type { Engine, ReopenReceipt } from 'fullstop/engine';
import { readDuration } from '../command-line/read-duration.js';
import { UsageError } from '../command-line/usage-error.js';
import type { ResumeWishes } from './resume-wishes.js';
import { answerChanges, convergenceChanges, deadlinesOf } from './workflow-changes.js';

/** Opens the next segment of a run whose code is elsewhere, with the changes in the form that its machine reads. */
export async function reopenForeign(
  engine: Engine,
  { ending, by }: { readonly ending: Envelope; readonly by: string },
  wishes: ResumeWishes,
): Promise<void> {
  const { runId, segment } = ending;
  const options = foreignChanges(ending, wishes, by);
  const receipt = await engine.reopen({ runId, after: segment, because: 'resume', by, options });
  refuseUnopened(receipt, runId);
}

/** The changes in the form that agents and other machines of the library read from the entry that opens a segment. */
function foreignChanges(ending: Envelope, wishes: ResumeWishes, by: string): JsonObject {
  const path = wishes.at ?? pathOf(ending);
  const timeMs = wishes.timeout === undefined ? undefined : readDuration(wishes.timeout, '--timeout');
  const stopWhen = present([
    ['maxIterations', 'limit', wishes['max-iterations']],
    ['maxToolCalls', 'limit', wishes['max-tool-calls']],
    ['tokenBudget', 'total', wishes.tokens],
    ['costBudget', 'usd', wishes.cost],
    ['timeout', 'run', timeMs],
  ]);
  const limits = withoutAbsent({ steps: wishes.steps, tokens: wishes.tokens, costUsd: wishes.cost, timeMs });
  return {
    ...(Object.keys(limits).length > 0 && { limits: { [path]: limits } }),
    ...(wishes.deadline.length > 0 && { deadlines: deadlinesOf(wishes.deadline) }),
    changes: {
      ...(path !== '' && { at: path }),
      ...(stopWhen.length > 0 && { stopWhen }),
      ...(wishes.without.length > 0 && { without: [...wishes.without] }),
      ...(wishes.guidance !== undefined && { guidance: wishes.guidance }),
      ...answerChanges(wishes),
      ...foreignConvergence(wishes, by, { tokens: wishes.tokens, costUsd: wishes.cost, time: timeMs }),
    },
  };
}

/** The same in the form that a convergence reads. */
function foreignConvergence(
  wishes: ResumeWishes,
  by: string,
  shared: Readonly<Record<string, number | undefined>>,
): JsonObject {
  const { budgets: own, settled, note } = convergenceChanges(wishes);
  const budgets = { ...withoutAbsent(shared), ...own };
  if (note !== undefined && settled === undefined) throw new UsageError('--note needs what it settles: --settled REF.');
  return {
    ...(Object.keys(budgets).length > 0 && { budgets }),
    ...(settled !== undefined && { settled: { refs: [...settled], ...(note !== undefined && { note }), by } }),
  };
}

/** The stop conditions, as JSON, whose limit was wishes. */
function present(
  conditions: readonly (readonly [type: string, field: string, value: number | undefined])[],
): JsonObject[] {
  return conditions.flatMap(([type, field, value]) => (value === undefined ? [] : [{ type, [field]: value }]));
}

function withoutAbsent(values: Readonly<Record<string, number | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as JsonObject;
}

function pathOf({ termination }: Envelope): string {
  let path = '';
  for (let cause = termination; cause.kind === 'child_failed'; cause = cause.termination) path = cause.child.path;
  return path;
}

function refuseUnopened(receipt: ReopenReceipt, runId: string): void {
  if (receipt.status === 'conflict')
    throw new UsageError(`${runId} was resumed by ${receipt.by ?? 'someone else'} first (segment ${receipt.segment}).`);
  if (receipt.status !== 'opened') throw new UsageError(`${runId} cannot be resumed: ${receipt.status}.`);
}
