import { checkAnswerTo } from '../../engines/port/check-answer.js';
import type { Engine, RunSummary } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { category, describe } from '../../termination/classify.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonObject } from '../../termination/json.js';
import { terminations } from '../../termination/terminations.js';
import { lastSeenOf } from '../ending/last-seen.js';
import { checkDeadline } from '../ending/pause.js';
import { checkLimits, type LimitChange } from '../limits.js';
import { opensScope } from '../replay/openings.js';
import type { ResumeOptions } from '../run-options.js';

/** Refuses limits and deadlines that mean nothing, whatever the run has come to. */
export function checkTerms({ limits, deadlines }: ResumeOptions, runId: string): void {
  if (limits !== undefined) checkLimits(withoutRemovals(limits), `The resume of ${runId}`);
  for (const [id, deadline] of Object.entries(deadlines ?? {})) checkDeadline(id, deadline);
}

function withoutRemovals(limits: LimitChange): object {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null));
}

/** Refuses what was decided on another ending. That it is still this one when the segment opens, the engine sees to. */
export function refuseOther(
  before: Pick<Envelope, 'runId' | 'segment' | 'category' | 'summary'>,
  only: ResumeOptions['onlyAfter'],
): void {
  if ((only?.segment ?? before.segment) === before.segment && (only?.category ?? before.category) === before.category)
    return;
  const { runId, segment, category: found, summary } = before;
  const wanted = [
    ...(only?.segment === undefined ? [] : [`segment ${only.segment}`]),
    ...(only?.category === undefined ? [] : [`an ending that is ${only.category}`]),
  ].join(' and ');
  throw new FullstopError(
    'RESUME_CONFLICT',
    `The run ${runId} was to be resumed only after ${wanted}, and has come to the ending of segment ${segment}, which is ${found}: ${summary} Look at it again; without onlyAfter it is resumed from there.`,
    { details: { runId, segment, category: found, onlyAfter: { ...only } } },
  );
}

/** Refuses the path of a unit that there never was, which would change nothing. */
export async function checkPath(engine: Engine, runId: string, path: string | undefined): Promise<void> {
  if (path === undefined || path === '') return;
  const entries = await engine.journal(runId);
  if (entries.some((entry) => entry.scope === path || opensScope(entry, path))) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `The run ${runId} has no unit at ${JSON.stringify(path)}, so nothing can be changed there.`,
  );
}

/**
 * Refuses a resume that could not continue from where its run was left. It would end the segment there first, and leave that ending behind for nothing.
 * A run that was not begun is executed to its ending before anything is changed, and what is asked of it is looked at then.
 */
export async function refuseInVain(
  engine: Engine,
  run: RunSummary,
  { at, answers, onlyAfter }: ResumeOptions,
): Promise<void> {
  const { runId, segment } = run;
  if (!(await wasLeft(engine, run))) return;
  const { at: seenAt, worker } = lastSeenOf(run);
  const ending = terminations.abandoned({
    lastSeenAt: new Date(seenAt).toISOString(),
    ...(worker !== undefined && { worker }),
  });
  refuseOther({ runId, segment, category: category(ending), summary: describe(ending) }, onlyAfter);
  await checkPath(engine, runId, at);
  if (answers === undefined || Object.keys(answers).length === 0) return;
  const open = new Map((await engine.openRequests(runId)).map((request) => [request.id, request]));
  for (const [id, answer] of Object.entries(answers)) {
    const request = open.get(id);
    if (request === undefined) throw refusedAnswer(runId, id, 'the run does not ask that');
    checkAnswerTo(request, answer);
  }
}

/** The error for an answer that nobody took. */
export function refusedAnswer(runId: string, requestId: string, why: string): FullstopError {
  return new FullstopError('INVALID_ANSWER', `The answer to ${requestId} of ${runId} was not taken: ${why}.`);
}

const openings: ReadonlySet<string> = new Set(['run_started', 'segment_opened']);

/** True for a run that was begun and that nobody executes. */
async function wasLeft(engine: Engine, run: RunSummary): Promise<boolean> {
  const { runId, segment, state } = run;
  if (state === 'running') return run.orphaned === true || run.silentSince !== undefined;
  const entries = await engine.journal(runId);
  return entries.some((entry) => entry.segment === segment && !openings.has(entry.type));
}

/** The changes of a resume as the journal holds them. */
export function changesOf(path: string, { limits, deadlines, changes }: ResumeOptions): JsonObject {
  return {
    ...(limits !== undefined && { limits: { [path]: limits as JsonObject } }),
    ...(deadlines !== undefined && { deadlines }),
    ...(changes !== undefined && { changes }),
  };
}
