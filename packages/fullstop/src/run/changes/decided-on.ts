import type { Engine } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';

/** The ending that a body has held a resume against: its segment, or null where there was none. */
const decided: unique symbol = Symbol('decided on');

interface Decided {
  readonly [decided]?: number | null;
}

/**
 * The options of a resume with the ending that they were checked against. Two resumes may be checked against the same one, and the
 * first may be over before the other opens its segment: that one would continue from an ending that nothing was held against.
 */
export function decidedOn<TOptions extends object>(
  before: Pick<Envelope, 'segment'> | undefined,
  options: TOptions,
): TOptions {
  return { ...options, [decided]: before?.segment ?? null };
}

/** Refuses a resume whose options were checked against another ending than the one that it would continue from. */
export async function refuseOvertaken(
  engine: Engine,
  { runId, segment, category, summary }: Envelope,
  { options, justReached }: { readonly options: object; readonly justReached: boolean },
): Promise<void> {
  const { [decided]: seen } = options as Decided;
  // A segment whose owner was gone has just come to its ending here: there was none to check against.
  if (seen === undefined || (justReached ? seen === null : seen === segment)) return;
  const [opening] = await engine.journal(runId, { types: ['segment_opened'], newest: 1 });
  const by = opening?.type === 'segment_opened' && opening.data.by !== undefined ? ` by ${opening.data.by}` : '';
  const since = segment > 1 ? `was resumed${by} since this resume looked at it, and ` : '';
  throw new FullstopError(
    'RESUME_CONFLICT',
    `The run ${runId} ${since}has come to the ending of segment ${segment}, which is ${category}: ${summary} Look at it again, and resume it from there.`,
    { details: { runId, segment, category } },
  );
}
