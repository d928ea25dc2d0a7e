import { checkAnswers } from '../../engines/port/check-answer.js';
import type { Engine, ReopenReceipt, RunSession } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { SegmentCause } from '../../engines/port/journal-entry.js';
import { assertNever } from '../../termination/assert-never.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import { causeChain, rootCause } from '../../termination/root-cause.js';
import { refuseOvertaken } from '../changes/decided-on.js';
import { type LastSeen, lastSeenOf, wasBegun } from '../ending/last-seen.js';
import { newOwnerId } from '../new-id.js';
import { PendingRun } from '../process/pending-run.js';
import type { ResumeOptions } from '../run-options.js';
import { notifyStart } from './notify-start.js';
import { changesOf, checkPath, checkTerms, refusedAnswer, refuseInVain, refuseOther } from './refuse-resume.js';
import { executeHere, requireKnownKind } from './start.js';

export interface Resumption {
  readonly engine: Engine;
  readonly runId: string;
  readonly name: string;
  readonly version: string;
  readonly options: ResumeOptions;
  readonly registry: TerminationRegistry;
  execute(session: RunSession): Promise<Envelope | undefined>;
  /** Ends a segment whose owner is gone where it stands. */
  abandon(session: RunSession, lastSeen: LastSeen): Promise<Envelope>;
}

/** Opens the next segment of a run after an open ending and runs it. */
export async function resumeRun(resumption: Resumption): Promise<Envelope> {
  const { engine, runId, name, options, registry } = resumption;
  checkAnswers(options.answers);
  checkTerms(options, runId);
  const { ending: before, justReached } = await endingToResume(resumption);
  if (justReached && !asksForMore(before, options)) return requireKnownKind(before, registry);
  await refuseOvertaken(engine, before, { options, justReached });
  refuseOther(before, options.onlyAfter);
  refuseNotResumable(before);
  const path = options.at ?? causeChain(before.termination).at(-1)?.child.path ?? '';
  await checkPath(engine, runId, options.at);
  refuseUnchanged(before, options);
  const answers = options.answers ?? {};
  const because: SegmentCause = Object.keys(answers).length > 0 ? 'answer' : 'resume';
  const pending = new PendingRun(engine, { runId, name });
  try {
    const receipt = await engine.reopen({
      runId,
      after: before.segment,
      because,
      answers,
      options: changesOf(path, options),
      ...(options.by !== undefined && { by: options.by }),
    });
    checkReceipt(receipt, runId);
  } catch (error) {
    pending.leave(undefined);
    throw error;
  }
  notifyStart(options.onStart);
  const segment = before.segment + 1;
  const { signal } = options;
  return requireKnownKind(
    await executeHere({ engine, runId, name, segment, pending, signal, execute: resumption.execute }),
    registry,
  );
}

/** Refuses an ending that is open by its kind, but that whoever wrote it could not continue from. */
function refuseNotResumable({ runId, open, resumable: { how, reason } }: Envelope): void {
  if (!open || how !== 'no') return;
  throw new FullstopError('RUN_CLOSED', `The run ${runId} cannot be resumed: ${reason ?? 'its ending says so'}.`);
}

/** True when a segment whose owner was gone has been finished, and the caller wants something of the next. */
function asksForMore(before: Envelope, { answers, limits, deadlines, changes }: ResumeOptions): boolean {
  return (
    before.open && (answers !== undefined || limits !== undefined || deadlines !== undefined || changes !== undefined)
  );
}

interface Resumed {
  readonly ending: Envelope;
  /** True when the segment had no ending yet, because its owner was gone. */
  readonly justReached: boolean;
}

async function endingToResume(resumption: Resumption): Promise<Resumed> {
  const { engine, runId, name, version, execute, options } = resumption;
  const summary = await engine.summary(runId);
  if (summary === undefined)
    throw new FullstopError('RUN_NOT_FOUND', `There is no run ${JSON.stringify(runId)} on the ${engine.name} engine.`);
  if (summary.name !== name || summary.version !== version) {
    throw new FullstopError(
      'INVALID_OPTION',
      `The run ${runId} is ${summary.name} version ${summary.version}; it cannot be resumed as ${name} version ${version}.`,
    );
  }
  const ending = await engine.ending(runId);
  if (ending !== undefined) return { ending, justReached: false };
  // What a person says is for the loop as it stands. Executed to its end first, it might never hear it.
  const isGuided = isObject(options.changes) && 'guidance' in options.changes;
  if (isGuided) await refuseInVain(engine, summary, options);
  const claimed = await engine.claim(runId, newOwnerId('local', engine));
  if (claimed === undefined) throw await stillGoing(engine, runId, summary.segment);
  notifyStart(options.onStart);
  if (isGuided && wasBegun(claimed))
    return { ending: await resumption.abandon(claimed, lastSeenOf(summary)), justReached: true };
  const here = { engine, runId, name, segment: claimed.segment, claimed, signal: options.signal, execute };
  return { ending: await executeHere(here), justReached: true };
}

async function stillGoing(engine: Engine, runId: string, segment: number): Promise<FullstopError> {
  const [opening] = await engine.journal(runId, { types: ['segment_opened'], newest: 1 });
  if (opening?.type === 'segment_opened')
    return makeConflictError(opening.data.by, runId, `segment ${opening.segment} is still running`);
  return new FullstopError(
    'RESUME_CONFLICT',
    `The run ${runId} is still running in segment ${segment}; it can be resumed once that has an ending.`,
  );
}

function makeConflictError(by: string | undefined, runId: string, where: string): FullstopError {
  return new FullstopError(
    'RESUME_CONFLICT',
    `The run ${runId} was resumed by ${by ?? 'someone else'} first (${where}).`,
  );
}

/** Refuses a resume that would stop at its first evaluation again. */
function refuseUnchanged(before: Envelope, options: ResumeOptions): void {
  const cause: AnyTermination = rootCause(before.termination);
  const limit = limitOf(cause);
  if (limit === undefined || options.at !== undefined) return;
  const wanted = limit.name === 'deadline' ? options.deadlines?.[limit.id] : options.limits?.[limit.name];
  if (wanted === null || (wanted !== undefined && wanted > limit.used)) return;
  // Time runs out by the clock too; the ending does not say which it was.
  if (limit.name === 'timeMs' && options.limits?.deadline !== undefined) return;
  const change = limit.name === 'deadline' ? `deadlines: { ${limit.id}: … }` : `limits: { ${limit.name}: … }`;
  const { runId, summary } = before;
  const asked =
    limit.name === 'deadline' ? { option: 'deadlines', requestId: limit.id } : { option: `limits.${limit.name}` };
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${runId} would stop at once: ${summary} Resume it with ${change} above ${limit.used}.`,
    { details: { ...asked, used: limit.used, runId, summary } },
  );
}

type LimitInTheWay =
  | { readonly name: 'steps' | 'timeMs' | 'tokens' | 'costUsd'; readonly used: number }
  | { readonly name: 'deadline'; readonly id: string; readonly used: number };

/** The value that a new limit has to exceed. A reservation may be refused although less is used than the limit allows. */
function limitOf(cause: AnyTermination): LimitInTheWay | undefined {
  switch (cause.kind) {
    case 'max_iterations':
      return cause.unit === 'step' ? { name: 'steps', used: cause.used } : undefined;
    case 'time_budget':
      return cause.scope === 'run' || cause.scope === 'stage' ? { name: 'timeMs', used: cause.elapsedMs } : undefined;
    case 'token_budget':
      return { name: 'tokens', used: Math.max(cause.used, cause.limit) };
    case 'cost_budget':
      return { name: 'costUsd', used: Math.max(cause.usedUsd, cause.limitUsd) };
    case 'gate_expired':
      return { name: 'deadline', id: cause.gateId, used: Date.parse(cause.deadline) };
    default:
      return undefined;
  }
}

function checkReceipt(receipt: ReopenReceipt, runId: string): void {
  switch (receipt.status) {
    case 'opened':
      return;
    case 'conflict':
      throw makeConflictError(receipt.by, runId, `segment ${receipt.segment}`);
    case 'closed':
      throw new FullstopError(
        'RUN_CLOSED',
        `The run ${runId} has a final ending: ${receipt.envelope.summary} Start a new run instead.`,
      );
    case 'superseded':
      throw new FullstopError(
        'TURN_REFUSED',
        `The run ${runId} is a turn of a conversation that continued with ${receipt.by}. Send a new turn, or retry this one.`,
        { details: { reason: 'superseded', runId: receipt.by } },
      );
    case 'refused':
      throw refusedAnswer(runId, receipt.requestId, describeRefusal(receipt.receipt));
    case 'unknown':
      throw new FullstopError('RUN_NOT_FOUND', `There is no run ${runId}.`);
    default:
      assertNever('Unknown receipt', receipt);
  }
}

function describeRefusal(receipt: Extract<ReopenReceipt, { status: 'refused' }>['receipt']): string {
  if (receipt.status === 'already') return `${receipt.by ?? 'someone'} answered first`;
  if (receipt.status === 'expired') return `its deadline passed at ${new Date(receipt.deadline).toISOString()}`;
  return receipt.status === 'unknown' ? 'the run does not ask that' : 'the run has ended';
}
