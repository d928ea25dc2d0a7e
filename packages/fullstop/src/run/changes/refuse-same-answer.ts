import { describe } from '../../termination/classify.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AnyTermination } from '../../termination/kinds.js';

/** The rules for the answers of an agent. */
export interface AnswerRules {
  /** The cap of an answer in tokens, where there is one. */
  readonly cap: number | undefined;
  /** How often an output may be corrected; undefined when there is no output schema. */
  readonly repair: number | false | undefined;
}

/** Whose answer it was: a run, or a stage of one. */
export interface AnswerSubject {
  readonly name: string;
  readonly runId?: string;
}

/** Refuses to ask for the same answer with the same cap, or for a correction beyond the number of them. */
export function refuseSameAnswer(
  subject: AnswerSubject,
  termination: AnyTermination,
  { cap, repair }: AnswerRules,
): void {
  if (termination.kind === 'output_truncated' && termination.cap !== undefined && cap !== undefined) {
    if (cap > termination.cap) return;
    throw unchanged(subject, describe(termination), {
      option: 'settings.maxOutputTokens',
      used: termination.cap,
      way: `settings: { maxOutputTokens: … } above ${termination.cap}`,
    });
  }
  if (termination.kind !== 'structured_output_exhausted' || typeof repair !== 'number') return;
  const used = termination.attempts - 1;
  if (repair > used) return;
  throw unchanged(subject, describe(termination), { option: 'repair', used, way: `repair: … above ${used}` });
}

interface Unchanged {
  readonly option: string;
  readonly used: number;
  readonly way: string;
}

function unchanged({ name, runId }: AnswerSubject, summary: string, { option, used, way }: Unchanged): FullstopError {
  return new FullstopError(
    'LIMIT_UNCHANGED',
    `${name} would end the same way again: ${summary} Resume it with ${way}, or with guidance for the model.`,
    { details: { option, used, summary, ...(runId !== undefined && { runId }) } },
  );
}
